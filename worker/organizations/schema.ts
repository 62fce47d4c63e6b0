/** Bodies and replies of organizations, as on the wire. Spec: "Organization". */
import * as z from 'zod';
import { LEVELS } from '../access/levels.ts';
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

const LONGEST_RETENTION_DAYS = 36_500;

/** Update input: what is left out stays; a setting that is null has its default again. Spec silent on null and bounds. */
export const OrganizationPatch = z.strictObject({
  name: DisplayName.exactOptional(),
  description: Description.unwrap().exactOptional(),
  settings: z
    .strictObject({
      defaultRegion: text(LONGEST_REGION).nullable().exactOptional(),
      enableAdvancedFeatures: z.boolean().nullable().exactOptional(),
      dataRetentionDays: z
        .int()
        .min(0)
        .max(LONGEST_RETENTION_DAYS)
        .nullable()
        .exactOptional()
        .meta({ description: 'Days that runs, tasks and audit are kept; 0 keeps them' }),
      maxEndpoints: z
        .int()
        .min(0)
        .nullable()
        .exactOptional()
        .meta({ description: 'At most what the installation allows' }),
    })
    .exactOptional(),
});
export type OrganizationPatch = z.infer<typeof OrganizationPatch>;

/** Update result; paths are dotted. */
export const Updated = z.object({ message: z.string(), updatedFields: z.array(z.string()) });

/** Delete result. */
export const DeletedOrganization = z.object({ message: z.string(), orgId: z.string() });

const Counted = z.object({ count: z.int(), limit: z.int() });

/** Spec: "Organization record"; `name` is an addition. Lists hold at most 1,000 entries. */
export const OrganizationRecord = z.object({
  id: z.string(),
  uuid: z.uuid(),
  name: z.string(),
  super_admin_uuids: z.array(z.uuid()),
  gateway_node_uuids: z.array(z.uuid()),
  endpoint_uuids: z.array(z.uuid()),
  description: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  last_modified_by: z.string(),
  settings: z.object({
    defaultRegion: z.string(),
    enableAdvancedFeatures: z.boolean(),
    dataRetentionDays: z.int(),
    maxEndpoints: z.int(),
  }),
  usage: z.object({
    endpoints: Counted,
    templates: Counted,
    workflows: Counted,
    storage: z.object({ used: z.string(), limit: z.string() }).meta({
      description: 'Bytes of definitions and audit, in B, KiB, MiB, GiB or TiB',
    }),
  }),
  resources: z.object({
    users: z.array(
      z.object({
        email: z.string(),
        accessLevel: z.enum(LEVELS),
        lastActive: z.iso.datetime().nullable(),
      }),
    ),
    resourceCounts: z.object({ endpoints: z.int(), templates: z.int(), workflows: z.int() }),
  }),
});

/** Create result. */
export const Created = z.object({ Ok: z.string() });
