/** What create, PATCH and test answer of a credential that may more than it needs, as on the wire. */
import * as z from 'zod';
import { WARNING_CODES } from '../../proto/driver.ts';

const WARNING = {
  code: 'CREDENTIAL_BYPASSES_RLS',
  message:
    'The role of write_conn has BYPASSRLS: row-level security does not apply to it. Either run ALTER ROLE app NOBYPASSRLS; as an administrator of the database, or use another role. …',
};
/** Absent when there is nothing to warn of. keys-and-doors.md §5. */
export const warnings = z
  .array(
    z
      .object({
        code: z
          .enum(WARNING_CODES)
          .meta({ description: 'Stable name of the warning', examples: [WARNING.code] }),
        message: z.string().meta({
          description: 'What it means, with the statements that end it',
          examples: [WARNING.message],
        }),
      })
      .meta({
        id: 'Warning',
        description: 'Something that works, but has a risk or a limit',
        examples: [WARNING],
      }),
  )
  .optional()
  .meta({
    description:
      'Risks and limits of the backend or its credential, as far as its kind can tell; absent when there are none',
  });
