/** What the parts of the object that follows changes share. */
import type { ChangeOperation } from '../../proto/changes.ts';
import type { Policy } from '../access/policy.ts';
import { type Bindings, type Context, openContext } from '../context.ts';
import type { Endpoint } from '../endpoints/access.ts';
import type { SealingContext } from '../secrets/seal.ts';
import { settingsOf } from '../settings.ts';
import type { ChangesStore } from './changes-store.ts';
import type { Lanes } from './lanes.ts';
import type { ChangesOwner, WatchedCollection } from './object.ts';
import type { KeptEndpoint } from './store.ts';

/** The object, as its parts see it. */
export interface ChangesContext {
  readonly env: Bindings;
  readonly kept: ChangesStore;
  readonly lanes: Lanes;
  /** @throws Error before the object was opened */
  owner(): ChangesOwner;
  /** Does all that is written as one. */
  atOnce<Value>(write: () => Value): Value;
  /** Lets work go on in the background. */
  later(work: Promise<unknown>): void;
  /** Has the object woken then, or before. @param at Unix epoch milliseconds */
  arm(at: number): void;
}

/** Address that runs and entries of the audit show. */
export const ADDRESS = 'data-change';

/** A context of no caller: what follows changes has no rights of its own, those of authors are asked. */
export function contextOf(around: ChangesContext): Context {
  const { orgUuid, orgId, endpoint } = around.owner();
  const open = openContext({
    signal: new AbortController().signal,
    env: around.env,
    outside: { now: Date.now, fetch: (request) => fetch(request) },
    requestId: crypto.randomUUID(),
    address: ADDRESS,
    waitUntil: (work) => around.later(work),
  });
  const never = Number.MAX_SAFE_INTEGER;
  const times = { issuedAt: Date.now(), loginAt: 0, expiresAt: never };
  return {
    ...open,
    caller: { orgUuid, orgId, userUuid: '', userId: `changes:${endpoint}`, ...times },
  };
}

/** An endpoint as calls take it. */
export function endpointOf({ caller }: Context, owner: ChangesOwner, kept: KeptEndpoint): Endpoint {
  const { sealedDataKey } = owner;
  const on = { kind: 'endpoint', uuid: kept.row.uuid } as const;
  const none = { onOrganization: [], onResource: [], rules: [] };
  const names = { username: caller.userId, account: caller.userId };
  const policy: Policy = { ...none, ...names, on, caller, sealedDataKey };
  return { ...kept, policy };
}

/** What seals changes that wait here. */
export function sealingOf({ env, owner }: ChangesContext): SealingContext {
  const { orgUuid, sealedDataKey, endpoint } = owner();
  const settings = settingsOf(env);
  return { settings, orgUuid, sealedDataKey, purpose: `data-changes:${endpoint}` };
}

/** Collections, each once with all operations that any wants, by name; those of the first list come first. */
export function unionOf(
  ...lists: readonly (readonly WatchedCollection[])[]
): readonly WatchedCollection[] {
  const byName = new Map<string, Set<ChangeOperation>>();
  for (const { name, operations } of lists.flat()) {
    byName.set(name, new Set([...(byName.get(name) ?? []), ...operations]));
  }
  return [...byName].map(([name, operations]) => ({ name, operations: [...operations].sort() }));
}

/** Whether all that is wanted is among what there is. */
export function covers(
  there: readonly WatchedCollection[],
  wanted: readonly WatchedCollection[],
): boolean {
  const known = new Map(there.map(({ name, operations }) => [name, operations]));
  return wanted.every(({ name, operations }) =>
    operations.every((each) => known.get(name)?.includes(each) === true),
  );
}
