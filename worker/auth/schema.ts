/** Bodies and replies of authentication, as on the wire. Spec: "Authentication and organizations". */
import * as z from 'zod';
import { AccessLevel } from '../levels.ts';
import { noBody } from '../route.ts';
import { either } from '../shapes/either.ts';
import { message, timestamp } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { NewPassword } from './passwords.ts';
import { KnownUsername } from './username.ts';

const SAMPLE_LOGIN = {
  token: SAMPLE.token,
  expires: '2026-03-10T10:30:00.000Z',
  user: { username: SAMPLE.ada, accessLevel: 'SuperAdmin' },
};

/** What a login brings besides the password. */
export const LoginHeaders = z.object({
  'X-Org-Id': z
    .string()
    .min(1)
    .meta({
      description: 'The id or UUID of the organization that the token is to be for',
      examples: [SAMPLE.orgId],
    }),
});

/** A login has no body: many clients send the password there. */
export const NoLoginBody = noBody(
  'a login has none: send username and password as Authorization: Basic, and the id of the organization as X-Org-Id',
);

/** What a login answers. */
export const LoginReply = z
  .object({
    token: z.string().meta({
      description: 'Send it as `Authorization: Bearer <token>` on every other call; never in a URL',
      examples: [SAMPLE.token],
    }),
    expires: timestamp(
      'When the token ends: an hour after its issue unless the installation says otherwise, and 30 days after the login at the latest',
      SAMPLE_LOGIN.expires,
    ),
    user: z
      .object({
        username: z.string().meta({
          description: 'As the account writes it, whichever spelling or UUID the login used',
          examples: [SAMPLE.ada],
        }),
        accessLevel: AccessLevel.meta({
          description: 'Level on the organization; rules on resources may differ from it',
        }),
      })
      .meta({ description: 'Whose token it is' }),
  })
  .meta({
    id: 'Session',
    description: 'A token for one user in one organization',
    examples: [SAMPLE_LOGIN],
  });

/** What a refresh answers: both documented shapes at once. Contract §1, "Envelope". */
export const RefreshReply = LoginReply.extend({
  status: z.literal('success').meta({ description: 'Always `success`: errors have another shape' }),
  data: z
    .object({
      token: z.string().meta({ description: 'The same token again', examples: [SAMPLE.token] }),
    })
    .meta({ description: 'The documented wrapped form of the same answer' }),
}).meta({
  id: 'RefreshedSession',
  description: 'A new token in place of one that is still valid, which stays valid until its end',
  examples: [{ status: 'success', data: { token: SAMPLE.token }, ...SAMPLE_LOGIN }],
});

/** Starts a reset. */
export const ResetStart = z
  .strictObject({
    email: KnownUsername.meta({
      description: 'Username of the account, which is where the link is mailed to',
      examples: [SAMPLE.bruno],
    }),
    redirectUrl: z.string().meta({
      description:
        'Where the link leads, with `token` added to its query; one of the URLs that the installation allows',
      format: 'uri',
      examples: ['https://shop.example.com/set-password'],
    }),
  })
  .meta({
    id: 'ResetStart',
    description: 'Asks for a link to set a new password; it can be used once, within 30 minutes',
    examples: [{ email: SAMPLE.bruno, redirectUrl: 'https://shop.example.com/set-password' }],
  });
export type ResetStart = z.infer<typeof ResetStart>;

/** Completes a reset; `username` may be the account's UUID, as at login. */
export const ResetCompletion = z
  .strictObject({
    username: z
      .string()
      .min(1)
      .meta({
        description: "The account's username or UUID",
        examples: [SAMPLE.bruno],
      }),
    token: z
      .string()
      .min(1)
      .meta({
        description: 'The `token` of the mailed link',
        examples: ['q7Jk2mXv9sT4bWc1'],
      }),
    new_password: NewPassword,
  })
  .meta({
    id: 'ResetCompletion',
    description: 'Sets the new password, which ends every token issued before',
    examples: [
      {
        username: SAMPLE.bruno,
        token: 'q7Jk2mXv9sT4bWc1',
        new_password: 'correct horse battery staple',
      },
    ],
  });
export type ResetCompletion = z.infer<typeof ResetCompletion>;

/** Either of the two documented shapes. */
export const Reset = either(
  ResetStart,
  ResetCompletion,
  (body) => 'username' in body || 'token' in body || 'new_password' in body,
).meta({ description: 'Starts a reset, or completes the one that a mailed link belongs to' });

/** What both answer. */
export const ResetResult = z
  .object({
    message: message('If there is such an account, a link to reset its password is on its way'),
    requestId: z.string().meta({
      description: "The request's id, as the header `X-Request-Id` has it",
      examples: [SAMPLE.requestId],
    }),
  })
  .meta({
    id: 'ResetResult',
    description: 'The same for a known and an unknown address',
    examples: [
      {
        message: 'If there is such an account, a link to reset its password is on its way',
        requestId: SAMPLE.requestId,
      },
    ],
  });
