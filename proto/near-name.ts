/** Which known name a wrong one stands for: a slip of the keyboard, or the word of another product. */

/** Edits (a letter more, less or other) up to which a name is taken for a misspelt one. */
const EDITS_MAX = 2;

/** Characters of the longest name that may be a slip of a known one; none of those is as long. */
const NAME_MAX = 64;

/** Names that are listed where none is meant; of more only how many. Spec silent. */
const LISTED_MAX = 100;

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
  ['transformationRules', 'rules', 'mappings'],
  ['operations', 'requests', 'statements', 'queries'],
];

/**
 * The one of `known` that `given` most likely means; `undefined` when none is near.
 * @param isTaken reports which of them are there already: of those only the very next is meant
 */
export function meantName(
  given: string,
  known: readonly string[],
  isTaken: (name: string) => boolean = () => false,
): string | undefined {
  if (given.length > NAME_MAX) return undefined;
  const free = known.filter((name) => !isTaken(name));
  const next = free.length < known.length ? nearest(given, known, 1) : undefined;
  return next ?? sameAs(given, free) ?? nearest(given, free, EDITS_MAX);
}

/** What else a hint depends on. */
export interface HintOptions {
  /** Which names are there already: see `meantName`. */
  isTaken?(name: string): boolean;
  /** Is before the list of names. */
  readonly before?: string;
}

/** What follows a wrong name in a message: the name that is meant, or else the names that there are. */
export function hintFor(
  given: string,
  known: readonly string[],
  { isTaken, before = 'known are' }: HintOptions = {},
): string {
  const meant = meantName(given, known, isTaken);
  if (meant !== undefined) return `did you mean "${meant}"?`;
  if (known.length === 0) return 'nothing is taken here';
  const more = known.length - LISTED_MAX;
  const rest = more > 0 ? ` and ${more} more` : '';
  return `${before} ${known.slice(0, LISTED_MAX).join(', ')}${rest}`;
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
  const lower = given.toLowerCase();
  for (const name of known) {
    // Each letter more is an edit: most names are told apart by their length.
    if (Math.abs(given.length - name.length) >= least) continue;
    const edits = editsBetween(lower, name.toLowerCase(), least);
    const shorter = Math.min(given.length, name.length);
    const longer = Math.max(given.length, name.length);
    if (edits >= least || edits >= shorter || 2 * edits > longer) continue;
    best = name;
    least = edits;
  }
  return best;
}

/** Levenshtein's distance, or `enough` where it is no less. */
function editsBetween(one: string, other: string, enough: number): number {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    let least = row;
    for (let at = 1; at <= other.length; at += 1) {
      const replaced = (above[at - 1] ?? 0) + (one[row - 1] === other[at - 1] ? 0 : 1);
      const edits = Math.min(replaced, (above[at] ?? 0) + 1, (current[at - 1] ?? 0) + 1);
      current.push(edits);
      least = Math.min(least, edits);
    }
    if (least >= enough) return enough;
    above = current;
  }
  return above[other.length] ?? 0;
}
