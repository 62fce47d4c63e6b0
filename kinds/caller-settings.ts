/** Member `session` of a configuration: what the backend is told of who calls. Spec: keys-and-doors.md §3. */
import * as z from 'zod';

/** What of a caller a setting may hold. */
const CALLER_SOURCES = [
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
/** What names settings of one kind. */
interface SettingNames {
  readonly form: RegExp;
  readonly most: number;
  /** What a name lacks, such as `it needs a dot`. @param name as it was given */
  readonly advice: (name: string) => string;
}

/** Source: NAMEDATALEN. A setting of users' own has a dot in its name; the server reads each part as an identifier. */
const DOTTED: SettingNames = {
  form: /^[a-z_][a-z0-9_$]*(?:\.[a-z_][a-z0-9_$]*)+$/i,
  most: 63,
  advice: (name) =>
    `is no name of a setting: it needs a dot, such as app.${/^\w+$/.test(name) ? name : 'user'}, letters, digits and _ alone, and at most 63 characters`,
};
/** Source: MySQL manual, "User-Defined Variables". */
const VARIABLE: SettingNames = {
  form: /^@[a-z_][a-z0-9_$.]*$/i,
  most: 64,
  advice: (name) =>
    `is no name of a variable: it begins with @, such as @${/^\w+$/.test(name) ? name : 'app_user'}, and has letters, digits, _ and . alone, at most 64 characters`,
};

const Role = z
  .string()
  .min(1)
  .max(DOTTED.most)
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
  .superRefine((members, issues) => checkNames(members, DOTTED, issues))
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

/** Member `session` of MySQL and MariaDB. */
export const CallerVariables = z
  .object({})
  .catchall(Source)
  .superRefine((members, issues) => checkNames(members, VARIABLE, issues))
  .meta({
    id: 'CallerVariables',
    description:
      'What the database is told of who calls, ahead of every statement: names of variables with what each holds. Triggers, functions and statements read them, such as `@app_user`. Callers below Admin cannot set',
    examples: [{ '@app_user': 'username', '@app_level': 'level' }],
  });

/** Of either kind, as a configuration was stored. */
export const AnyCallerSettings = z.union([CallerSettings, CallerVariables]);

/** Every role that member `session` of a stored configuration can choose, each once; none where it has no role. */
export function rolesIn(session: unknown): readonly string[] {
  const { data } = CallerSettings.safeParse(session);
  const role = data?.role;
  if (role === undefined) return [];
  if (typeof role === 'string') return [role];
  const chosen = Object.values(role.map);
  return [...new Set(role.default === undefined ? chosen : [...chosen, role.default])];
}

function checkNames(
  members: object,
  { form, most, advice }: SettingNames,
  issues: z.RefinementCtx,
): void {
  const names = Object.keys(members).filter((name) => name !== 'role' || form === VARIABLE.form);
  for (const name of names) {
    if (form.test(name) && name.length <= most) continue;
    issues.addIssue({ code: 'custom', path: [name], message: advice(name) });
  }
  const folded = new Set(names.map((name) => name.toLowerCase()));
  if (folded.size < names.length) {
    issues.addIssue({ code: 'custom', message: 'names one setting twice in other letter cases' });
  }
  if (names.length > SETTINGS_MAX) {
    issues.addIssue({ code: 'custom', message: `has more than ${SETTINGS_MAX} settings` });
  }
}
