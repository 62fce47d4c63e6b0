/** Subjects of rules: members by username or UUID, groups and API keys by name. Contract §3, §4. */
import * as z from 'zod';
import { GatewayError } from '../../proto/errors.ts';
import { keyName, keySubject } from '../access/api-keys/identity.ts';
import { selectPersonalKey } from '../access/api-keys/store.ts';
import { usernameKey } from '../auth/username.ts';
import type { Context } from '../context.ts';
import { isUuid } from '../shapes/ids.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { isVisible, visible } from '../shapes/visible.ts';
import { selectMembers } from './store.ts';

const GROUP = 'group:';
const KEY = 'key:';
/** `key:<owner>/<name>`. */
const PERSONAL_KEY = /^key:.*\//s;
const GROUP_NAME = /^group:[^\p{Cc}]{1,255}$/u;
const LONGEST = 1024;

/** What a name begins with, in any letter case. */
const PREFIX = /^(?:group|key):/i;

/** A name with its prefix as it is stored. */
export function asWritten(name: string): string {
  return name.replace(PREFIX, (prefix) => prefix.toLowerCase());
}

/** A subject as it is stored and as it is told. */
export interface Subject {
  /** Account UUID, `group:<name>`, or `key:` and the UUID of an organization's key. */
  readonly key: string;
  /** Username as the account has it, `group:<name>` or `key:<name>`; hidden characters are written out. */
  readonly name: string;
}

/** Names whom to ask about: as `SubjectName`, and personal keys. */
export const AskedSubject = z
  .string()
  .min(1)
  .max(LONGEST)
  .overwrite(asWritten)
  .refine((name) => name.isWellFormed(), 'must be valid Unicode')
  .refine(
    (name) => !name.startsWith(GROUP) || GROUP_NAME.test(name),
    'must name the group in 1 to 255 characters, without control characters',
  )
  .refine(
    (name) => !name.startsWith(GROUP) || !GROUP_NAME.test(name) || isVisible(name),
    'must name the group without invisible, bidirectional, private or unassigned characters',
  )
  .meta({
    description:
      'A username or the UUID of an account that is a member, `group:` and the name of a group of an identity provider, or `key:` and the name of an API key',
    examples: [SAMPLE.bruno],
  });

/** Names a subject: a username, an account's UUID, `group:` and 1 to 255 characters, or `key:` and the name of an organization's key. */
export const SubjectName = AskedSubject.refine(
  (name) => !isPersonalKey(name),
  'may not be a personal key: no rules are for it, it has at most what its owner has',
).meta({
  description:
    "A username or the UUID of an account that is a member, `group:` and the name of a group of an identity provider, or `key:` and the name of an organization's API key",
  examples: [SAMPLE.bruno],
});

/** A subject as replies name it. */
export const ShownSubject = z.string().meta({
  description: 'The username as the account writes it, `group:<name>` or `key:<name>`',
  examples: [SAMPLE.bruno],
});

/** Whether a name is that of a personal key. */
export function isPersonalKey(name: string): boolean {
  return PERSONAL_KEY.test(name);
}

/** Whether it is a person's or a program's account: no username has a colon. */
export function isAccount(key: string): boolean {
  return !key.includes(':');
}

/** Whether rules for it are a group's. A group needs no membership. */
export function isGroup(key: string): boolean {
  return key.startsWith(GROUP);
}

/** The statement that finds members, and keys of the organization, among `names`. */
export function membersNamed({ db, caller }: Context, names: readonly string[]) {
  const known = names.filter((name) => !isGroup(name)).map(keyOf);
  return selectMembers(db, caller.orgUuid, known);
}

/** A row of `membersNamed`. */
type Member = Awaited<ReturnType<typeof membersNamed>>[number];

/**
 * The subject of a name.
 * @param members what `membersNamed` found
 * @throws GatewayError USER_NOT_FOUND when it is no member, KEY_NOT_FOUND
 */
export function subjectNamed(name: string, members: readonly Member[]): Subject {
  if (isGroup(name)) return { key: name, name: visible(name) };
  const key = keyOf(name);
  const member = members.find(({ uuid, usernameKey: own }) => uuid === key || own === key);
  if (!member && name.startsWith(KEY)) throw keyNotFound(name.slice(KEY.length));
  if (!member) throw new GatewayError('USER_NOT_FOUND', 'User not found in organization');
  return { key: member.uuid, name: visible(member.username) };
}

/**
 * The caller, if they come with an external token and the name is theirs. They are no member, and
 * rules are for their groups, not for them.
 */
export function externalSelf({ caller }: Context, name: string): Subject | undefined {
  const isHis = caller.external !== undefined && name === caller.userId;
  return isHis ? { key: caller.userUuid, name } : undefined;
}

/**
 * The personal key that `key:<owner>/<name>` names; the owner's name may have slashes, the key's has none.
 * @throws GatewayError KEY_NOT_FOUND
 */
export async function personalKeyNamed(
  { db, caller }: Context,
  named: string,
): Promise<Subject & { readonly owner: string }> {
  const slash = named.lastIndexOf('/');
  const ownerKey = usernameKey(named.slice(KEY.length, slash));
  const name = named.slice(slash + 1);
  const [row] = await selectPersonalKey(db, caller.orgUuid, { ownerKey, name });
  if (!row) throw keyNotFound(named.slice(KEY.length));
  const shown = visible(keyName(name, row.owner));
  return { key: keySubject(row.uuid), name: shown, owner: row.ownerUuid };
}

/** The same for another organization's key as for one that does not exist. @param named its name, or its UUID */
export function keyNotFound(named: string): GatewayError {
  return new GatewayError('KEY_NOT_FOUND', `Key ${visible(named)} does not exist`);
}

/** No username is a UUID or has a colon, so all look up in one list. */
function keyOf(name: string): string {
  if (name.startsWith(KEY)) return name;
  return isUuid(name) ? name.toLowerCase() : usernameKey(name);
}
