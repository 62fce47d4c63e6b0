/** Member `session` of a configuration: what the backend is told of who calls. Spec: keys-and-doors.md §3. */
import * as z from 'zod';

/** What of a caller a setting may hold. */
export const CALLER_SOURCES = [
  'username',
  'user_uuid',
  'organization',
  'organization_uuid',
  'level',
  'groups',
  'key',
  'request_id',
  'claims',
] as const;
export type CallerSource = (typeof CALLER_SOURCES)[number];

/** Most settings of one endpoint: each is set ahead of every statement. Spec silent. */
const SETTINGS_MAX = 32;
/** Longest name of PostgreSQL. Source: NAMEDATALEN. */
const NAME_MAX = 63;
/** A setting of users' own has a dot in its name; the server reads each part as an identifier. */
const DOTTED = /^[a-z_][a-z0-9_$]*(?:\.[a-z_][a-z0-9_$]*)+$/i;

const Role = z
  .string()
  .min(1)
  .max(NAME_MAX)
  .refine((name) => !name.includes('\0') && name.toLowerCase() !== 'none', 'is no name of a role');

const RoleByCaller = z.strictObject({
  from: z.enum(['level', 'groups']).meta({ description: 'What of the caller decides' }),
  map: z.record(z.string(), Role).meta({ description: 'Roles by level, or by group' }),
  default: Role.optional().meta({
    description: 'Role of callers whose value has no entry; left out, they are refused with 403',
  }),
});
export type RoleByCaller = z.infer<typeof RoleByCaller>;

const Source = z.enum(CALLER_SOURCES);

/** Member `session` of PostgreSQL. */
export const CallerSettings = z
  .object({
    role: z
      .union([
        Role.meta({ description: 'Name of a role that the credential may set' }),
        RoleByCaller.meta({ description: 'A role by what is known of the caller' }),
      ])
      .optional()
      .meta({ description: "What statements run as; left out, the credential's own role" }),
  })
  .catchall(Source)
  .superRefine((members, issues) => {
    const names = Object.keys(members).filter((name) => name !== 'role');
    for (const name of names) {
      if (DOTTED.test(name) && name.length <= NAME_MAX) continue;
      const message = `is no name of a setting: it needs a dot, such as app.${/^\w+$/.test(name) ? name : 'user'}, letters, digits and _ alone, and at most ${NAME_MAX} characters`;
      issues.addIssue({ code: 'custom', path: [name], message });
    }
    const folded = new Set(names.map((name) => name.toLowerCase()));
    if (folded.size < names.length) {
      issues.addIssue({ code: 'custom', message: 'names one setting twice in other letter cases' });
    }
    if (names.length > SETTINGS_MAX) {
      issues.addIssue({ code: 'custom', message: `has more than ${SETTINGS_MAX} settings` });
    }
  })
  .meta({
    id: 'CallerSettings',
    description:
      'What the database is told of who calls, ahead of every statement and in its transaction: names of settings with what each holds, and `role`, which statements run as. Row-level security, triggers and statements read them by `current_setting`. Callers below Admin cannot set',
    examples: [
      {
        'app.user': 'username',
        'request.jwt.claims': 'claims',
        role: { from: 'level', map: { Read: 'viewer', Write: 'clerk' }, default: 'clerk' },
      },
    ],
  });
export type CallerSettings = z.infer<typeof CallerSettings>;
