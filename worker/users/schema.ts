/** Bodies and results of the operations on users, as on the wire. Spec: "IAM users". Contract §3. */
import * as z from 'zod';
import { NewPassword } from '../auth/passwords.ts';
import { Username } from '../auth/username.ts';
import { AccessLevel } from '../levels.ts';
import { PageQuery } from '../shapes/cursor.ts';
import { either } from '../shapes/either.ts';
import { count, message, NextCursor, timestamp, timestampOrNull, uuid } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { Description } from '../shapes/texts.ts';
import { ADDED, CHANGED, CHANGES, INVITED, LISTED, NEW_USER, RECORD } from './examples.ts';

/** Parameter of every path below `/iam/users/{user}`: a username or an account's UUID. */
export const UserPath = z.object({
  user: z
    .string()
    .min(1)
    .meta({ description: "A username, or an account's UUID", examples: [SAMPLE.bruno] }),
});

/** `invited` has no password yet: a reset was started for the user. Spec silent except for `active`. */
const Status = z.enum(['active', 'invited']).meta({
  description: '`invited` is who has no password yet, and so cannot log in',
  examples: ['active'],
});
export type Status = z.infer<typeof Status>;

/** Associates an existing account: a level, then a username or an account's UUID. */
export const Association = z
  .tuple([
    AccessLevel.meta({ description: 'Level on the organization' }),
    z
      .string()
      .min(1)
      .meta({
        description: 'Username or UUID of an account that exists',
        examples: [SAMPLE.bruno],
      }),
  ])
  .meta({
    id: 'UserAssociation',
    description: 'A level and an existing account, in this order',
    examples: [['Read', SAMPLE.bruno]],
  });
export type Association = z.infer<typeof Association>;

/** Makes the account too, or proves that an existing one is meant. */
export const NewUser = z
  .strictObject({
    username: Username,
    password: NewPassword.optional().meta({
      description:
        'The password of a new account, or the one that an existing account has; left out, a new account is mailed a link to set one',
    }),
    description: Description.meta({
      description: 'Who it is, in your own words; at most 4096 characters, empty when left out',
      examples: [NEW_USER.description],
    }),
    access_level: AccessLevel.optional().meta({
      description:
        'Level on the organization; left out, there is no rule for the user yet, which gives no access',
    }),
  })
  .meta({
    id: 'UserInput',
    description: 'A user whose account is made, or proven to be meant by its password',
    examples: [NEW_USER],
  });
export type NewUser = z.infer<typeof NewUser>;

/** Either of the two forms. */
export const AddBody = either(Association, NewUser, (body) => !Array.isArray(body)).meta({
  description: 'A new member of the organization, in either of two shapes',
});

const UserId = z.string().meta({
  description: 'The username, as the account writes it',
  examples: [SAMPLE.bruno],
});

/** What adding answers. */
export const Added = z
  .object({
    message: message(ADDED.message),
    userId: UserId,
    accessLevel: AccessLevel.meta({ description: 'Level on the organization' }),
  })
  .meta({ id: 'UserAdded', description: 'The new member', examples: [ADDED] });

/** What a PATCH changes; of others only `description`. */
export const Changes = z
  .strictObject({
    username: Username.optional().meta({
      description: 'Another name for the account, in all its organizations; your own only',
      examples: ['bruno.berg@example.com'],
    }),
    password: NewPassword.optional().meta({
      description:
        'From 8 characters to 1,024 bytes of UTF-8; your own only, and it ends every token that was issued before',
      examples: [CHANGES.password],
    }),
    current_password: z
      .string()
      .min(1)
      .optional()
      .meta({
        description: 'The password so far; goes with `password`',
        format: 'password',
        writeOnly: true,
        examples: [CHANGES.current_password],
      }),
    description: Description.unwrap()
      .optional()
      .meta({
        description: 'Who it is, in your own words; at most 4096 characters',
        examples: [CHANGES.description],
      }),
  })
  .refine(
    ({ password, current_password: current }) =>
      (password === undefined) === (current === undefined),
    { path: ['current_password'], message: 'goes with password, and password with it' },
  )
  .meta({
    id: 'UserPatch',
    description: 'Changes of a user: what is left out stays',
    examples: [CHANGES],
    override: {
      dependentRequired: { password: ['current_password'], current_password: ['password'] },
    },
  });
export type Changes = z.infer<typeof Changes>;

/** What a PATCH answers. */
export const UserUpdated = z
  .object({
    message: message(CHANGED.message),
    userId: UserId.meta({ description: 'The username from now on' }),
    updatedFields: z
      .array(z.enum(['username', 'password', 'description']))
      .meta({ description: 'What was given', examples: [CHANGED.updatedFields] }),
  })
  .meta({ id: 'UserChanged', description: 'What was changed', examples: [CHANGED] });

const REMOVED = {
  message: `User ${SAMPLE.bruno} removed from ${SAMPLE.orgId}`,
  userId: SAMPLE.bruno,
};
/** What removing answers. */
export const Removed = z.object({ message: message(REMOVED.message), userId: UserId }).meta({
  id: 'UserRemoved',
  description: 'The membership is gone with its permissions; the account remains',
  examples: [REMOVED],
});

/** Filters of the list: level on the organization, status, and how the username begins. Spec silent. */
export const ListQuery = PageQuery.extend({
  level: AccessLevel.optional().meta({
    description: 'Only those with this level on the organization',
  }),
  status: Status.optional().meta({ description: 'Only those with this status' }),
  q: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: 'Only those whose username begins so, in any letter case',
      examples: ['bru'],
    }),
});
export type ListQuery = z.infer<typeof ListQuery>;

const author = (description: string) => z.string().meta({ description, examples: [SAMPLE.ada] });
const listed = {
  userId: UserId,
  uuid: uuid(
    "The account's own, which a change of the username leaves; of a user of an identity provider, one made of issuer and subject",
    SAMPLE.brunoUuid,
  ),
  description: z.string().meta({
    description: 'Who it is; empty when nobody said',
    examples: [LISTED.description],
  }),
  accessLevel: AccessLevel.meta({
    description: 'Level on the organization; `None` without a rule',
  }),
  status: Status,
  created: timestamp('When the user became a member', LISTED.created),
  createdBy: author('Who added the user: a username, or the issuer of an external user'),
  lastModified: timestamp('When the description was last changed here', LISTED.lastModified),
  lastModifiedBy: author('Who changed it, likewise'),
  lastActive: timestampOrNull(
    'Last login, or call that needs a level, seconds late; null before any',
  ),
};

/** A page of users. */
export const UserPage = z
  .object({
    users: z
      .array(
        z
          .object(listed)
          .meta({ id: 'UserListed', description: 'A user, in short', examples: [LISTED, INVITED] }),
      )
      .meta({ description: 'In the order of their usernames' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'UserPage',
    description: 'A page of the users of the organization',
    examples: [{ users: [LISTED, INVITED], next_cursor: SAMPLE.cursor }],
  });

const Operation = z
  .object({
    operation: z.string().meta({
      description: 'What was done, as audit entries name it',
      examples: ['endpoint.read'],
    }),
    resource: z.string().meta({
      description: 'On what, as the request named it',
      examples: [`endpoint:${SAMPLE.endpoint}`],
    }),
    timestamp: timestamp('When'),
  })
  .meta({ description: 'One thing that the user did' });

/** Spec: "User record". */
export const UserRecord = z
  .object({
    ...listed,
    groups: z
      .array(z.string())
      .optional()
      .meta({
        description:
          'Groups and permissions that the token of an identity provider names; absent for users with an account here',
        examples: [[SAMPLE.group]],
      }),
    managedResources: z
      .object({
        endpoints: count('Endpoints', 0),
        templates: count('Templates', 0),
        workflows: count('Workflows', 0),
      })
      .meta({ description: 'How many of each the user is Admin of' }),
    activity: z
      .object({
        lastLogin: timestampOrNull('Last login to this organization; null before any'),
        loginCount: count('Logins to this organization', RECORD.activity.loginCount),
        lastOperations: z.array(Operation).meta({
          description: 'The last ten at most that needed a level, newest first, seconds late',
        }),
      })
      .meta({ description: 'What the user did in this organization' }),
  })
  .meta({
    id: 'User',
    description: 'A user with all that the organization knows of them',
    examples: [RECORD],
  });
