/** Bodies and replies of authentication, as on the wire. Spec: "Authentication and organizations". */
import * as z from 'zod';
import { LEVELS } from '../access/levels.ts';
import { either } from '../http/either.ts';
import { NewPassword } from './passwords.ts';
import { Username } from './username.ts';

/** What a login answers. */
export const Session = z.object({
  token: z.string(),
  expires: z.iso.datetime(),
  user: z.object({ username: z.string(), accessLevel: z.enum(LEVELS) }),
});

/** What a refresh answers: both documented shapes at once. Contract §1, "Envelope". */
export const RefreshedSession = Session.extend({
  status: z.literal('success'),
  data: z.object({ token: z.string() }),
});

/** Starts a reset. */
export const ResetStart = z.strictObject({ email: Username, redirectUrl: z.string() });
export type ResetStart = z.infer<typeof ResetStart>;

/** Completes a reset; `username` may be the account's UUID, as at login. */
export const ResetCompletion = z.strictObject({
  username: z.string().min(1),
  token: z.string().min(1),
  new_password: NewPassword,
});
export type ResetCompletion = z.infer<typeof ResetCompletion>;

/** Either of the two documented shapes. */
export const Reset = either(
  ResetStart,
  ResetCompletion,
  (body) => 'username' in body || 'token' in body || 'new_password' in body,
);

/** What both answer. */
export const ResetResult = z.object({ message: z.string(), requestId: z.string() });
