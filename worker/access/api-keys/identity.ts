/** Whose key a caller comes with, and what rules count for them. Spec: keys-and-doors.md §1. */
import type { KeyLevel } from '../../db/keys.ts';
import type { Level } from '../../levels.ts';
import type { HeldOn } from '../demand.ts';

/** What stands in for an account, or for the owner's token. */
export interface KeyIdentity {
  readonly uuid: string;
  /** Account UUID of who has a personal key; absent of an organization's key. */
  readonly owner?: string;
  /** Of the text that the caller sent; absent where nobody sends one: in runs, and where it is asked about another. */
  readonly digest?: string;
}

/** What a personal key gives at most; null: whatever its owner has. */
export interface KeyLimits {
  readonly accessLevel: Level | null;
  /** Those whose resource still exists. */
  readonly levels: readonly KeyLevel[];
}

/** As rows of rules and calls name a key. No username has a colon. */
export function keySubject(uuid: string): string {
  return `key:${uuid}`;
}

/** Whether a subject is a key. */
export function isKeySubject(subject: string): boolean {
  return subject.startsWith('key:');
}

/** As people name a key: `key:<name>`, of a personal one `key:<owner>/<name>`. */
export function keyName(name: string, owner?: string): string {
  return owner === undefined ? `key:${name}` : `key:${owner}/${name}`;
}

/** The subject whose rules count for a caller: of a personal key its owner. */
export function ruledSubject({
  userUuid,
  key,
}: {
  readonly userUuid: string;
  readonly key?: KeyIdentity;
}): string {
  return key?.owner ?? userUuid;
}

/** As rows keep who made a change: an account's UUID, else the name of who has no account. */
export function authorOf(caller: {
  readonly userUuid: string;
  readonly userId: string;
  readonly key?: KeyIdentity;
}): string {
  return caller.key ? caller.userId : caller.userUuid;
}

/** Of a caller that goes on beyond the call: neither a rotation of the key nor the caller's address ends what has begun. */
export function withoutToken<Caller extends { readonly key?: KeyIdentity }>(
  caller: Caller,
): Caller {
  if (!caller.key) return caller;
  const { digest: _, ...key } = caller.key;
  return { ...caller, key };
}

/** The most that a key gives on something: the more specific level counts. Undefined: whatever its owner has. */
export function limitOn(
  limits: KeyLimits | undefined,
  { kind, uuid }: Pick<HeldOn, 'kind' | 'uuid'>,
): Level | undefined {
  if (limits === undefined) return undefined;
  return kind === 'organization' ? (limits.accessLevel ?? undefined) : limitOnUuid(limits, uuid);
}

/** As `limitOn`, for a resource: UUIDs are each other's in no kind. */
export function limitOnUuid(limits: KeyLimits | undefined, uuid: string): Level | undefined {
  const own = limits?.levels.find((each) => each.uuid === uuid);
  return own?.level ?? limits?.accessLevel ?? undefined;
}
