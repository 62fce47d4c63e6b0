/** Bodies and replies of organizations, as on the wire. Spec: "Organization". */
import * as z from 'zod';
import { NewPassword } from '../auth/passwords.ts';
import { Username, usernameKey } from '../auth/username.ts';
import { either } from '../http/either.ts';
import { ChosenId } from '../http/ids.ts';
import { Description, DisplayName, text } from '../http/texts.ts';

/** Spec: "User input element". */
const SuperAdmin = z.strictObject({
  username: Username,
  password: NewPassword,
  description: Description,
});

const MOST_SUPER_ADMINS = 10;
const LONGEST_REGION = 255;

/** Create input, API reference shape. */
export const WithSuperAdmins = z.strictObject({
  id: ChosenId,
  description: Description,
  super_admins: z
    .array(SuperAdmin)
    .min(1)
    .max(MOST_SUPER_ADMINS)
    .refine(
      (users) => new Set(users.map(({ username }) => usernameKey(username))).size === users.length,
      'names a user twice',
    ),
});
export type WithSuperAdmins = z.infer<typeof WithSuperAdmins>;

/** Create input, prose shape. */
export const WithAdminEmail = z.strictObject({
  name: DisplayName,
  adminEmail: Username.refine((name) => name.includes('@'), 'must be an email address'),
  description: Description,
  settings: z
    .strictObject({
      defaultRegion: text(LONGEST_REGION).exactOptional(),
      enableAdvancedFeatures: z.boolean().exactOptional(),
    })
    .default({}),
});
export type WithAdminEmail = z.infer<typeof WithAdminEmail>;

/** Either of the two documented shapes. */
export const NewOrganization = either(
  WithSuperAdmins,
  WithAdminEmail,
  (body) => !('id' in body || 'super_admins' in body) && ('name' in body || 'adminEmail' in body),
);

/** Create result. */
export const Created = z.object({ Ok: z.string() });
