/** Subjects of rules: members by username or UUID, and groups by name. Contract §3, §4. */
import * as z from 'zod';
import { GatewayError } from '../../proto/errors.ts';
import { usernameKey } from '../auth/username.ts';
import type { Context } from '../context.ts';
import { isUuid } from '../shapes/ids.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { isVisible, visible } from '../shapes/visible.ts';
import { selectMembers } from './store.ts';

const GROUP = 'group:';
const GROUP_NAME = /^group:[^\p{Cc}]{1,255}$/u;
const LONGEST = 1024;

/** A subject as it is stored and as it is told. */
export interface Subject {
  /** Account UUID, or `group:<name>`. */
  readonly key: string;
  /** Username as the account has it, or `group:<name>`; hidden characters are written out. */
  readonly name: string;
}

/** Names a subject: a username, an account's UUID, or `group:` and 1 to 255 characters. */
export const SubjectName = z
  .string()
  .min(1)
  .max(LONGEST)
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
      'A username or the UUID of an account that is a member, or `group:` and the name of a group of an identity provider',
    examples: [SAMPLE.bruno],
  });

/** A subject as replies name it. */
export const ShownSubject = z.string().meta({
  description: 'The username as the account writes it, or `group:<name>`',
  examples: [SAMPLE.bruno],
});

/** Whether rules for it are a group's. A group needs no membership. */
export function isGroup(key: string): boolean {
  return key.startsWith(GROUP);
}

/** The statement that finds members among `names`. */
export function membersNamed({ db, caller }: Context, names: readonly string[]) {
  const users = names.filter((name) => !isGroup(name)).map(keyOf);
  return selectMembers(db, caller.orgUuid, users);
}

/** A row of `membersNamed`. */
export type Member = Awaited<ReturnType<typeof membersNamed>>[number];

/**
 * The subject of a name.
 * @param members what `membersNamed` found
 * @throws GatewayError USER_NOT_FOUND when it is no member
 */
export function subjectNamed(name: string, members: readonly Member[]): Subject {
  if (isGroup(name)) return { key: name, name: visible(name) };
  const key = keyOf(name);
  const member = members.find(({ uuid, usernameKey: own }) => uuid === key || own === key);
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

/** No username is a UUID, so both look up in one list. */
function keyOf(name: string): string {
  return isUuid(name) ? name.toLowerCase() : usernameKey(name);
}
