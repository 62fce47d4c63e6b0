/** Doors: templates and workflows whose runs have their author's rights. Spec: keys-and-doors.md §2. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Caller, Context } from '../../context.ts';
import type { Level } from '../../levels.ts';
import type { DoorName } from './name.ts';

/** Milliseconds that stand for a token which does not expire. */
const NEVER_MS = Number.MAX_SAFE_INTEGER;

/** Who called, whoever's rights the context has. */
export function whoCalled({ caller, door }: Pick<Context, 'caller' | 'door'>): Caller {
  return door?.calledBy ?? caller;
}

/**
 * The context in which a door's author acts. Whether the account is still there is asked where its rights are.
 * @param author UUID of the account; null where no account stored the version
 * @throws GatewayError FORBIDDEN where there is no author
 */
export function authorContext(ctx: Context, name: DoorName, author: string | null): Context {
  if (author === null) throw authorGone(name, undefined);
  const { orgUuid, orgId } = ctx.caller;
  const door = { kind: name.kind, id: name.id, calledBy: whoCalled(ctx) };
  return { ...ctx, door, caller: accountOf({ orgUuid, orgId }, author, ctx.now()) };
}

/** An account as it would call now, by its UUID alone. */
function accountOf(
  { orgUuid, orgId }: Pick<Caller, 'orgUuid' | 'orgId'>,
  uuid: string,
  now: number,
): Caller {
  // A rename moves no rights: the name is looked up where it is told.
  return {
    ...{ orgUuid, orgId, userUuid: uuid, userId: uuid },
    ...{ issuedAt: now, loginAt: 0, expiresAt: NEVER_MS },
  };
}

/** The author is no member of the organization any more, or never was an account. */
export function authorGone({ kind, id }: DoorName, author: string | undefined): GatewayError {
  const message = `The author of ${kind} ${id}, whose rights it runs with, is no longer a member of the organization`;
  const told = author === undefined ? {} : { author };
  return new GatewayError('FORBIDDEN', message, { details: [{ rule: 'run_as', ...told }] });
}

/** A level that an author does not hold. */
interface Missing {
  /** A username. */
  readonly author: string;
  readonly held: Level;
  readonly needed: Level;
  /** What it is missing on, as `endpoint orders`. */
  readonly place: string;
}

/** The author is still there, with less than the run needs. */
export function authorLowered({ kind, id }: DoorName, missing: Missing): GatewayError {
  const { author, held, needed, place } = missing;
  const message = `The author of ${kind} ${id}, whose rights it runs with, needs ${needed} access on ${place} and has ${held}`;
  return new GatewayError('FORBIDDEN', message, {
    details: [{ rule: 'run_as', author, level: held, needed }],
  });
}
