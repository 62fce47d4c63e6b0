/** The members of a command out of what `COMMAND DOCS` says about its arguments. */

/** One argument. Source: redis.io/docs/latest/develop/reference/command-arguments. */
export interface DocumentedArgument {
  readonly name: string;
  readonly type: string;
  readonly token?: string;
  readonly flags: readonly string[];
  readonly within: readonly DocumentedArgument[];
}

const TYPES: Readonly<Record<string, string>> = {
  key: ':k',
  integer: ':i',
  'unix-time': ':i',
  double: ':d',
};
/** Texts that hold what the caller keeps: any JSON will do. */
const VALUES = /^(?:value|element|member|message|pivot|arg|field|data)s?$/;

/** Members in the notation of kinds/redis/grammar.ts. */
export function grammarOf(members: readonly DocumentedArgument[]): string {
  return members.map((each, at) => nodeOf(each, members[at + 1])).join(' ');
}

function nodeOf(argument: DocumentedArgument, next?: DocumentedArgument): string {
  const { name, type, token, flags, within } = argument;
  // How many follow can be counted.
  if (/^num(keys|fields|ids)$/.test(name) && next !== undefined) {
    return `${nameOf(argument)}#${nameOf(next)}`;
  }
  if (type === 'block' && flags.length === 0) {
    return `${token === undefined ? '' : `'${token}' `}${grammarOf(within)}`;
  }
  const node = bare(argument);
  const isFlag = argument.type === 'pure-token';
  return argument.flags.includes('optional') && !isFlag ? `[${node}]` : node;
}

function bare(argument: DocumentedArgument): string {
  const { type, token, flags, within } = argument;
  const name = nameOf(argument);
  const many = flags.includes('multiple') ? '+' : '';
  const mark = flags.includes('multiple_token') ? '@@' : '@';
  const after = many + (token === undefined ? '' : `${mark}${token || '""'}`);
  if (type === 'pure-token') {
    return flags.includes('optional') ? `${name}!${token}` : `'${token}'`;
  }
  if (type === 'block') return `${name}{${grammarOf(within)}}${after}`;
  if (type !== 'oneof') return `${name}${typeOf(name, type)}${after}`;
  const isPlain = within.every((each) => each.type === 'pure-token');
  return isPlain
    ? `${name}(${within.map((each) => each.token).join('|')})${after}`
    : `${name}<${within.map(alternative).join('|')}>${after}`;
}

function alternative(argument: DocumentedArgument): string {
  const { type, token } = argument;
  if (type === 'pure-token') return `${token}`;
  if (type === 'block') return `${nameOf(argument)}{${grammarOf(argument.within)}}`;
  const tag = token === undefined ? nameOf(argument) : `${token}/${nameOf(argument)}`;
  return `${tag}{${bare({ ...argument, flags: argument.flags.filter((each) => each !== 'optional') })}}`;
}

/** Of many in the plural, as clients have it. */
function nameOf({ name, flags }: DocumentedArgument): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  return flags.includes('multiple') && !plain.endsWith('s') ? `${plain}s` : plain;
}

function typeOf(name: string, type: string): string {
  return TYPES[type] ?? (VALUES.test(name) ? ':v' : '');
}
