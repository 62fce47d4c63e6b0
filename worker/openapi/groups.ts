/** The groups that operations are shown in. */

interface Group {
  readonly name: string;
  readonly description: string;
  /** Of paths below /api/v1, written as routes write them. */
  readonly paths: RegExp;
}

/** In the order of a first reading; a path belongs to the first that has it. */
const GROUPS: readonly Group[] = [
  {
    name: 'Logging in',
    description: 'Tokens: get one, renew it, and get back in without the password.',
    paths: /^\/auth\//,
  },
  {
    name: 'Organizations',
    description: 'The tenant that a token belongs to, and everything in it.',
    paths: /^\/(new|organizations|org)$/,
  },
  {
    name: 'Requests',
    description: "What is sent to an endpoint's backend: reads, writes, transactions and sessions.",
    paths: /^\/endpoints\/:\w+\/(read|write|transaction|sessions)\b/,
  },
  {
    name: 'Endpoints',
    description: 'Connections to backends: made, tried, changed and removed.',
    paths: /^\/endpoints\b/,
  },
  { name: 'Users', description: 'Who is a member of the organization.', paths: /^\/iam\/users\b/ },
  { name: 'Grants', description: 'Who may do what, and why.', paths: /^\/iam\/rbac\b/ },
  { name: 'Audit', description: 'What was done, in a chain of hashes.', paths: /^\/audit\b/ },
  { name: 'Help', description: 'What this gateway can do.', paths: /^\/help$/ },
];

/** As the document lists them. */
export const TAGS = GROUPS.map(({ name, description }) => ({ name, description }));

/** The group of a route's path; what has none is grouped by its first segment. */
export function groupOf(path: string): string {
  const known = GROUPS.find(({ paths }) => paths.test(path));
  if (known !== undefined) return known.name;
  const [, segment = ''] = path.split('/');
  return segment.slice(0, 1).toUpperCase() + segment.slice(1);
}
