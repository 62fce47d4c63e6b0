/** Which known name a wrong one stands for: a slip of the keyboard, or the word of another product. */

/** Edits (a letter more, less or other) up to which a name is taken for a misspelt one. */
const EDITS_MAX = 2;

/** Names that other products give to the same thing. */
const SAME: readonly (readonly string[])[] = [
  ['endpoint', 'id', 'name', 'endpoint_id'],
  ['id', 'endpoint', 'name'],
  ['query', 'sql', 'statement', 'stmt', 'text', 'cql'],
  ['params', 'parameters', 'args', 'arguments', 'values', 'bindings', 'variables'],
  ['args', 'params', 'parameters', 'arguments'],
  ['access_level', 'level', 'role', 'permission', 'access'],
  ['username', 'user', 'email', 'login', 'name'],
  ['subject', 'user', 'username', 'member', 'email'],
  ['super_admins', 'admins', 'users', 'owners'],
  ['config', 'configuration', 'connection', 'settings', 'url', 'write_conn', 'read_conn'],
  ['write_conn', 'conn', 'connection', 'url', 'uri', 'host', 'read_write_conn'],
  ['url', 'uri', 'dsn', 'connection_string', 'connectionString', 'baseUrl', 'base_url'],
  ['auth', 'user', 'username', 'password', 'credentials'],
  ['db', 'database', 'dbname', 'keyspace'],
  ['host', 'hostname', 'server', 'address'],
  ['tls', 'ssl'],
  ['filter', 'query', 'where'],
  ['document', 'doc', 'data'],
  ['operations', 'requests', 'statements', 'queries'],
];

/**
 * The one of `known` that `given` most likely means; `undefined` when none is near.
 * @param taken names that are there already: of them only the very next is meant
 */
export function meantName(
  given: string,
  known: readonly string[],
  taken: readonly string[] = [],
): string | undefined {
  const free = known.filter((name) => !taken.includes(name));
  return nearest(given, known, 1) ?? nearest(given, free, EDITS_MAX) ?? sameAs(given, free);
}

/** What else bears on a hint. */
export interface HintOptions {
  /** Names that are there already: see `meantName`. */
  readonly taken?: readonly string[];
  /** Stands before the list of names. */
  readonly before?: string;
}

/** What follows a wrong name in a message: the name that is meant, or else the names that there are. */
export function hintFor(
  given: string,
  known: readonly string[],
  { taken = [], before = 'known are' }: HintOptions = {},
): string {
  const meant = meantName(given, known, taken);
  if (meant !== undefined) return `did you mean "${meant}"?`;
  return known.length === 0 ? 'nothing is taken here' : `${before} ${known.join(', ')}`;
}

function sameAs(given: string, known: readonly string[]): string | undefined {
  return SAME.find(
    ([first = '', ...others]) => known.includes(first) && others.includes(given),
  )?.[0];
}

/** The nearest name in any letter case; of a short name, half of the letters must be right. */
function nearest(given: string, known: readonly string[], most: number): string | undefined {
  let best: string | undefined;
  let least = most + 1;
  for (const name of known) {
    const edits = editsBetween(given.toLowerCase(), name.toLowerCase());
    const [shorter = 0, longer = 0] = [given.length, name.length].toSorted((a, b) => a - b);
    if (edits >= least || edits >= shorter || 2 * edits > longer) continue;
    best = name;
    least = edits;
  }
  return best;
}

/** Levenshtein's distance, or more than `EDITS_MAX` where lengths alone tell that it is more. */
function editsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > EDITS_MAX) return EDITS_MAX + 1;
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const replaced = (above[at - 1] ?? 0) + (one[row - 1] === other[at - 1] ? 0 : 1);
      current.push(Math.min(replaced, (above[at] ?? 0) + 1, (current[at - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above[other.length] ?? 0;
}
