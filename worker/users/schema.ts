/** Bodies and results of the operations on users, as on the wire. Spec: "IAM users". Contract §3. */
import * as z from 'zod';
import { LEVELS } from '../access/levels.ts';
import { NewPassword } from '../auth/passwords.ts';
import { Username } from '../auth/username.ts';
import { PageQuery } from '../http/cursor.ts';
import { either } from '../http/either.ts';
import { Description } from '../http/texts.ts';

/** Parameter of every path below `/iam/users/{user}`: a username or an account's UUID. */
export const UserPath = z.object({ user: z.string().min(1) });

const AccessLevel = z.enum(LEVELS);
/** `invited` is who has no password yet: a reset was started for him. Spec silent but for `active`. */
const Status = z.enum(['active', 'invited']);
export type Status = z.infer<typeof Status>;

/** Associates an existing account: a level, then a username or an account's UUID. */
export const Association = z.tuple([AccessLevel, z.string().min(1)]);
export type Association = z.infer<typeof Association>;

/** Makes the account too, or proves that an existing one is meant. */
export const NewUser = z.strictObject({
  username: Username,
  password: NewPassword.optional(),
  description: Description,
  access_level: AccessLevel.optional(),
});
export type NewUser = z.infer<typeof NewUser>;

/** Either of the two forms. */
export const AddBody = either(Association, NewUser, (body) => !Array.isArray(body));

/** What adding answers. */
export const Added = z.object({
  message: z.string(),
  userId: z.string(),
  accessLevel: AccessLevel,
});

/** What a PATCH changes; of others only `description`. */
export const Changes = z
  .strictObject({
    username: Username.optional(),
    password: NewPassword.optional(),
    current_password: z.string().min(1).optional(),
    description: Description.unwrap().optional(),
  })
  .refine(
    ({ password, current_password: current }) =>
      (password === undefined) === (current === undefined),
    { path: ['current_password'], message: 'goes with password, and password with it' },
  );
export type Changes = z.infer<typeof Changes>;

/** What a PATCH answers. */
export const Changed = z.object({
  message: z.string(),
  userId: z.string(),
  updatedFields: z.array(z.string()),
});

/** What removing answers. */
export const Removed = z.object({ message: z.string(), userId: z.string() });

/** Filters of the list: level on the organization, status, and how the username begins. Spec silent. */
export const ListQuery = PageQuery.extend({
  level: AccessLevel.optional(),
  status: Status.optional(),
  q: z.string().min(1).optional(),
});
export type ListQuery = z.infer<typeof ListQuery>;

const Timestamp = z.iso.datetime();
const listed = {
  userId: z.string(),
  uuid: z.uuid(),
  description: z.string(),
  accessLevel: AccessLevel,
  status: Status,
  created: Timestamp,
  createdBy: z.string(),
  lastModified: Timestamp,
  lastModifiedBy: z.string(),
  lastActive: Timestamp.nullable(),
};

/** A page of users. */
export const UserPage = z.object({
  users: z.array(z.object(listed)),
  next_cursor: z.string().optional(),
});

/** Spec: "User record". */
export const UserRecord = z.object({
  ...listed,
  /** Groups and permissions that an external token names; a member has none. */
  groups: z.array(z.string()).optional(),
  managedResources: z.object({ endpoints: z.int(), templates: z.int(), workflows: z.int() }),
  activity: z.object({
    lastLogin: Timestamp.nullable(),
    loginCount: z.int(),
    lastOperations: z.array(
      z.object({ operation: z.string(), resource: z.string(), timestamp: Timestamp }),
    ),
  }),
});
