/** What operations on keys act on, and who may. Spec: keys-and-doors.md §1. */
import { GatewayError } from '../../proto/errors.ts';
import { type Access, type Authorization, demand } from '../access/access.ts';
import { policyOf, policyOn } from '../access/policy.ts';
import { selectMembership, selectRules } from '../access/store.ts';
import { type Caller, type Context, hasAccount } from '../context.ts';
import { keyNotFound } from '../grants/subjects.ts';
import { effectiveLevel } from '../levels.ts';
import { isUuid } from '../shapes/ids.ts';
import { visible } from '../shapes/visible.ts';
import { type KeyRow, selectKey } from './store.ts';

/** Parameter of a path that names a key by its UUID. */
interface KeyParams {
  readonly key: string;
}

/**
 * Demands Admin of the organization, of a caller who is no key.
 * @throws GatewayError FORBIDDEN
 */
export const byAdmin: Access<unknown, undefined> = {
  level: 'Admin',
  errors: [],
  async find(ctx) {
    const policy = await policyOn(ctx);
    refuseKeys(ctx);
    return { resource: undefined, policy };
  },
};

/**
 * Demands an account: nothing else has personal keys.
 * @throws GatewayError FORBIDDEN
 */
export const bySelf: Access<unknown, undefined> = {
  level: 'Member',
  errors: ['FORBIDDEN'],
  async find(ctx) {
    const policy = await policyOn(ctx);
    refuseKeys(ctx);
    if (!hasAccount(ctx.caller)) {
      throw new GatewayError(
        'FORBIDDEN',
        'A personal key is of an account, and you have none here',
        {
          details: [{ rule: 'a caller known only by an external token has no personal keys' }],
        },
      );
    }
    return { resource: undefined, policy };
  },
};

/**
 * Demands nothing for the caller's own key, and Admin of the organization for others.
 * @throws GatewayError KEY_NOT_FOUND, FORBIDDEN
 */
export const ownOrAsAdmin: Access<KeyParams, KeyRow> = {
  level: 'Member',
  errors: ['KEY_NOT_FOUND', 'FORBIDDEN'],
  find: findKey,
};

/**
 * Demands Admin of the organization for a key of the organization, and to be its owner for a
 * personal one; of a caller who is no key.
 * @throws GatewayError KEY_NOT_FOUND, FORBIDDEN
 */
export const toChange: Access<KeyParams, KeyRow> = {
  level: 'Member',
  errors: ['KEY_NOT_FOUND', 'FORBIDDEN'],
  async find(ctx, params) {
    const found = await findKey(ctx, params);
    refuseKeys(ctx);
    const { ownerUuid, owner } = found.resource;
    if (ownerUuid !== '' && ownerUuid !== ctx.caller.userUuid) {
      const message = `Only ${visible(owner ?? '')} changes this key: an Admin may delete it`;
      throw new GatewayError('FORBIDDEN', message, {
        details: [{ rule: 'a personal key is changed and rotated by its owner' }],
      });
    }
    return found;
  },
};

/** Whether a key is the caller's own: a personal one of theirs, or the one that they come with. */
function isOwn({ userUuid, key }: Caller, { uuid, ownerUuid }: Pick<KeyRow, 'uuid' | 'ownerUuid'>) {
  return key ? key.uuid === uuid : ownerUuid === userUuid;
}

async function findKey(ctx: Context, { key }: KeyParams): Promise<Authorization<KeyRow>> {
  const { db, caller } = ctx;
  const [standing, rules, [row]] = await db.batch([
    selectMembership(db, caller),
    selectRules(db, caller),
    selectKey(db, caller.orgUuid, isUuid(key) ? key.toLowerCase() : ''),
  ]);
  const policy = policyOf(ctx, standing, rules);
  if (!row) throw keyNotFound(key);
  if (isOwn(caller, row)) return { resource: row, policy };
  const own = demand({ held: effectiveLevel(policy), policy, params: {} }, 'Admin');
  return { resource: row, policy, demands: [own] };
}

/** What a stolen key could make would outlive it. */
function refuseKeys({ caller }: Context): void {
  if (!caller.key) return;
  throw new GatewayError('FORBIDDEN', 'Keys cannot make, change or rotate keys: log in', {
    details: [{ rule: 'keys make, change and refresh no tokens' }],
  });
}
