/** Bodies and replies of organizations, as on the wire. Spec: "Organization". */
import * as z from 'zod';
import { NewPassword } from '../auth/passwords.ts';
import { Username, usernameKey } from '../auth/username.ts';
import { either } from '../shapes/either.ts';
import { ChosenId } from '../shapes/ids.ts';
import { message } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { Description, DisplayName, text } from '../shapes/texts.ts';
import {
  CREATED,
  PATCH,
  RECORD,
  UPDATED,
  WITH_ADMIN_EMAIL,
  WITH_SUPER_ADMINS,
} from './examples.ts';

export { OrganizationRecord } from './record.ts';

/** Spec: "User input element". */
const SuperAdmin = z
  .strictObject({
    username: Username,
    password: NewPassword.meta({
      description:
        'From 8 characters to 1,024 bytes of UTF-8; of an account that exists already, the password it has',
    }),
    description: Description.meta({
      description: 'Who it is, in your own words; empty when left out',
      examples: ['Runs the shop'],
    }),
  })
  .meta({
    id: 'SuperAdminInput',
    description: 'A founder of the organization',
    examples: WITH_SUPER_ADMINS.super_admins,
  });

const MOST_SUPER_ADMINS = 10;
const LONGEST_REGION = 255;

const OrganizationDescription = Description.meta({
  description: 'What it is for, in your own words; at most 4096 characters, empty when left out',
  examples: [RECORD.description],
});

/** Create input, API reference shape. */
export const WithSuperAdmins = z
  .strictObject({
    id: ChosenId.meta({
      description:
        'What logins name in `X-Org-Id`: 1 to 128 letters, digits, dots, underscores and hyphens, beginning with a letter or digit, no UUID; unique within the installation',
    }),
    description: OrganizationDescription,
    super_admins: z
      .array(SuperAdmin)
      .min(1)
      .max(MOST_SUPER_ADMINS)
      .refine(
        (users) =>
          new Set(users.map(({ username }) => usernameKey(username))).size === users.length,
        'names a user twice',
      )
      .meta({
        description: 'Who may do everything in it, each named once; accounts are made as needed',
      }),
  })
  .meta({
    id: 'OrganizationInput',
    description: 'A new organization, with the passwords of those who administer it',
    examples: [WITH_SUPER_ADMINS],
  });
export type WithSuperAdmins = z.infer<typeof WithSuperAdmins>;

const Region = text(LONGEST_REGION);
const REGION = 'Your own note of where data belong; nothing is decided by it';
const ADVANCED = 'Your own note; nothing is decided by it';

/** Create input, prose shape. */
export const WithAdminEmail = z
  .strictObject({
    name: DisplayName.meta({
      description:
        'What people call it, 1 to 255 characters; in lower case with hyphens it becomes the id',
    }),
    adminEmail: Username.refine((name) => name.includes('@'), 'must be an email address').meta({
      description:
        'Becomes the SuperAdmin: an address without an account yet, which is sent a link to set a password',
      examples: [SAMPLE.ada],
    }),
    description: OrganizationDescription,
    settings: z
      .strictObject({
        defaultRegion: Region.exactOptional().meta({
          description: `${REGION}; \`auto\` when left out`,
          examples: ['eu-west'],
        }),
        enableAdvancedFeatures: z
          .boolean()
          .exactOptional()
          .meta({ description: `${ADVANCED}; false when left out`, examples: [false] }),
      })
      .default({})
      .meta({ description: 'What is left out has its default' }),
  })
  .meta({
    id: 'OrganizationInputByEmail',
    description: 'A new organization, for an address that sets its password later',
    examples: [WITH_ADMIN_EMAIL],
  });
export type WithAdminEmail = z.infer<typeof WithAdminEmail>;

/** Either of the two documented shapes. */
export const NewOrganization = either(
  WithSuperAdmins,
  WithAdminEmail,
  (body) => !('id' in body || 'super_admins' in body) && ('name' in body || 'adminEmail' in body),
).meta({ description: 'A new organization, in either of two shapes' });

const LONGEST_RETENTION_DAYS = 36_500;

/** Update input: what is left out stays; a setting that is null has its default again. Spec silent on null and bounds. */
export const OrganizationPatch = z
  .strictObject({
    name: DisplayName.exactOptional().meta({
      description: 'What people call it, 1 to 255 characters; the id stays',
      examples: [PATCH.name],
    }),
    description: Description.unwrap()
      .exactOptional()
      .meta({
        description: 'What it is for, in your own words; at most 4096 characters',
        examples: [RECORD.description],
      }),
    settings: z
      .strictObject({
        defaultRegion: Region.nullable()
          .exactOptional()
          .meta({ description: `${REGION}; null is \`auto\` again`, examples: ['eu-west'] }),
        enableAdvancedFeatures: z
          .boolean()
          .nullable()
          .exactOptional()
          .meta({ description: `${ADVANCED}; null is false again`, examples: [true] }),
        dataRetentionDays: z
          .int()
          .min(0)
          .max(LONGEST_RETENTION_DAYS)
          .nullable()
          .exactOptional()
          .meta({
            description: 'Days that runs, tasks and audit are kept; 0 keeps them, null is 90 again',
            examples: [PATCH.settings.dataRetentionDays],
          }),
        maxEndpoints: z
          .int()
          .min(0)
          .nullable()
          .exactOptional()
          .meta({
            description:
              'Most endpoints that may be created; above what the installation allows is 403, null is as many as it allows',
            examples: [PATCH.settings.maxEndpoints],
          }),
      })
      .exactOptional()
      .meta({ description: 'What is left out stays, null restores the default' }),
  })
  .meta({
    id: 'OrganizationPatch',
    description: 'Changes of the organization: what is left out stays',
    examples: [PATCH],
  });
export type OrganizationPatch = z.infer<typeof OrganizationPatch>;

/** Update result; paths are dotted. */
export const Updated = z
  .object({
    message: message(UPDATED.message),
    updatedFields: z.array(z.string()).meta({
      description: 'Dotted paths of what was given, whether it differs from before or not',
      examples: [UPDATED.updatedFields],
    }),
  })
  .meta({ id: 'OrganizationUpdated', description: 'What was changed', examples: [UPDATED] });

const DELETED = { message: `Organization ${SAMPLE.orgId} deleted`, orgId: SAMPLE.orgId };
/** Delete result. */
export const DeletedOrganization = z
  .object({
    message: message(DELETED.message),
    orgId: z
      .string()
      .meta({ description: 'The id, which is free again', examples: [SAMPLE.orgId] }),
  })
  .meta({
    id: 'OrganizationDeleted',
    description: 'The organization is gone at once, and its tokens with it',
    examples: [DELETED],
  });

/** Create result. */
export const Created = z
  .object({
    Ok: z.string().meta({
      description: 'States that the organization was created, with its UUID',
      examples: [CREATED.Ok],
    }),
  })
  .meta({ id: 'OrganizationCreated', description: 'It was created', examples: [CREATED] });
