/** Sequences of tokens that are near to statements which read, with what writes hidden in them. */
import type { Choices } from '../random.ts';

type Some = readonly [string, ...string[]];

const NUMBERS: Some = [
  ...([
    '1',
    '0',
    '42',
    '1.5',
    '.5',
    '1.',
    '1e1',
    '1E1',
    '1e+1',
    '1e-1',
    '1.5e1',
    '1.e1',
    '.5e1',
  ] as const),
  ...[
    '0x41',
    '0X41',
    '0b1',
    '0b2',
    '0B1',
    '1e',
    '1.e',
    '1.5e',
    '.5e',
    '1e+',
    '1.5e-',
    '0x',
    '0b',
    '00.5',
  ],
  ...[
    "x'41'",
    "X'4'",
    "b'1'",
    "B'2'",
    '\\N',
    '0x4g',
    '1a',
    '1é',
    '1..5',
    '1.5.5',
    '-1',
    '+.5',
    '--1',
    '-.5e1',
  ],
];
/** What every server reads alike. */
const PLAIN: Some = [
  '1',
  '42',
  "'a'",
  '"b"',
  'id',
  '`name`',
  'items.id',
  'now()',
  'abs(1)',
  'NULL',
  '1.5',
  "x'41'",
  '*',
];
const QUOTED: Some = [
  ...([
    "'a'",
    '"a"',
    "N'a'",
    "n'a'",
    "_utf8'a'",
    "_utf8mb4 'a'",
    "_binary'a'",
    "_utf8x'41'",
    "'a''b'",
  ] as const),
  ...[
    "'a\\'b'",
    '"a\\"b"',
    "'a' 'b'",
    "'a'\n'b'",
    '"a""b"',
    "'\\\\'",
    "'a\\\\' ",
    "''",
    '""',
    "'é'",
    "'`'",
    "'\"'",
  ],
  ...[
    "' INTO @x '",
    '" FOR UPDATE "',
    "'-- '",
    "'#'",
    "'/*'",
    "'*/'",
    "'\\' INTO @x -- '",
    '"\\" INTO @x -- "',
  ],
  ...[
    "'\\'",
    '"\\"',
    "'a' INTO @x -- '",
    "date'2024-01-01'",
    "{d'2024-01-01'}",
    "{ts '2024-01-01 00:00:00'}",
  ],
];
const NAMES: Some = [
  ...([
    'id',
    'name',
    '`id`',
    'items.id',
    'items.`id`',
    '`items`.id',
    'items .id',
    'items. id',
    'i.1b',
  ] as const),
  ...[
    '`a``b`',
    '`INTO`',
    '`1.5`',
    '1b',
    '1e1b',
    'é',
    '$a',
    '_a',
    'a$b',
    '@a',
    '@a.b',
    '@`a b`',
    "@'a'",
    '@"a"',
  ],
  ...[
    '@@version',
    '@@global.max_connections',
    '@@session.sql_mode',
    '@@`version`',
    '@@x.5INTO',
    '@1.5',
    '@',
    '@@',
  ],
  ...[
    '`a',
    'items.1e5',
    'items.0x41',
    '.id',
    'items..id',
    ':a',
    '?',
    'NULL',
    'TRUE',
    '"id"',
    '`\\`',
    'a\u00a0b',
  ],
];
const CALLS: Some = [
  ...([
    'now()',
    'abs(1)',
    'abs (1)',
    'abs/**/(1)',
    '`abs`(1)',
    'ABS(1.)',
    'concat(1,2)',
    'coalesce(id,1)',
  ] as const),
  ...[
    'count(*)',
    'count (1)',
    'max(id)',
    'if(1,2,3)',
    'replace("a","b","c")',
    'last_insert_id()',
    'sum(1)over()',
  ],
  ...[
    "get_lock('attack',0)",
    "GET_LOCK ('attack',0)",
    "`get_lock`('attack',0)",
    'last_insert_id(7)',
    'quiet(1)',
  ],
  ...[
    "bite('x')",
    '`bite`("x")',
    'nextval(counter)',
    'next value for counter',
    'NEXT VALUE FOR`counter`',
    'pack.bites(1)',
  ],
  ...[
    "load_file('/etc/passwd')",
    '`count`(5)',
    '@x:=1',
    '@`x`:=.5',
    "release_lock('attack')",
    'counter.nextval',
  ],
];
const TABLES: Some = [
  'items',
  '`items`',
  'items i',
  'items AS i',
  '(SELECT 1 AS `1b`)AS i',
  'items,loose',
  'dual',
  'named',
];
const TAILS: Some = [
  ...([
    'INTO @x',
    'INTO@x',
    'INTO/**/@x',
    'into @`x`',
    "INTO OUTFILE '/tmp/causeway-attack-mysql'",
  ] as const),
  ...[
    "INTO DUMPFILE'/tmp/causeway-attack-mysql'",
    'FOR UPDATE',
    'FOR/**/UPDATE',
    'for update nowait',
    'FOR SHARE',
  ],
  ...[
    'LOCK IN SHARE MODE',
    'LOCK/**/IN SHARE MODE',
    'FOR UPDATE SKIP LOCKED',
    'PROCEDURE analyse()',
    'FOR UPDATE WAIT 1',
  ],
];
const COMPARING: Some = [
  '>',
  '<',
  '=',
  '<=>',
  '!=',
  '<>',
  '>=',
  ' AND ',
  ' OR ',
  '&&',
  '||',
  ' LIKE ',
  ' IS ',
  '+',
  '-',
  '*',
  '/',
  ' DIV ',
  '%',
  '|',
  '^',
];
/** Between two tokens: space in every form. */
const SPACES: Some = [
  ...([
    ' ',
    ' ',
    ' ',
    '\n',
    '\t',
    '\r',
    '\v',
    '\f',
    '/**/',
    '/* a */',
    '-- \n',
    '--\n',
    '--\t\n',
    '-- a\n',
    '#\n',
  ] as const),
  ...[
    "# '\n",
    "-- '\n",
    "/*'*/",
    '/*"*/',
    '/*`*/',
    '/*!*/',
    '/*! */',
    '/*M!*/',
    '/*!50000 */',
    '/*!99999 */',
    '/*!999999 */',
  ],
  ...[
    '/*!50000*/',
    '/*M!100000 */',
    '/* /* */',
    '/*!99999 /* */ */',
    '/*/*/',
    '/*+*/',
    '/*+ a(`b`) */',
    '--',
    '--\u0001\n',
    '//',
  ],
  ...[
    '\u0001',
    '\u007f',
    '\u00a0',
    '\u2028',
    '/*!999999',
    '/*',
    '/*!',
    '--\v\n',
    "--\u007f'\n",
    '-- \\\n',
    '#\\\n',
    '/*\\*/',
  ],
];
/** What a mutation puts anywhere. */
const INSERTED: Some = [
  ...([
    "'",
    '"',
    '`',
    '\\',
    '/*',
    '*/',
    '--',
    '-- ',
    '#',
    '@',
    '@@',
    '.',
    'e',
    '0',
    '1',
    '0x',
    ':',
    ';',
    '?',
  ] as const),
  ...[
    '(',
    ')',
    ',',
    '!',
    '/*!',
    '\n',
    ' ',
    "''",
    '``',
    '\\N',
    '$$',
    '$a$',
    'é',
    '{',
    '}',
    '[',
    ']',
    '+',
    "N'",
    "x'",
    '\u0000',
  ],
];

/** One text; most begin as a read. */
export function sequence(choices: Choices): string {
  const text = joined(statementOf(choices), choices);
  if (!choices.chance(0.25)) return text;
  let mutated = text;
  for (let times = choices.chance(0.7) ? 1 : 3; times > 0; times -= 1)
    mutated = mutate(mutated, choices);
  return mutated;
}

function statementOf(choices: Choices): string[] {
  const select = selectOf(choices);
  const around = choices.next();
  if (around < 0.8) return select;
  if (around < 0.85) return ['(', ...select, ')'];
  if (around < 0.9)
    return [choices.pick(['EXPLAIN', 'DESC', 'ANALYZE', 'EXPLAIN EXTENDED']), ...select];
  if (around < 0.95) return ['WITH', 'w', 'AS', '(', ...select, ')', 'SELECT', '*', 'FROM', 'w'];
  return ['SELECT', '*', 'FROM', '(', ...select, ')', 'AS', 'i', ...tailOf(choices)];
}

function selectOf(choices: Choices): string[] {
  const tokens = ['SELECT', ...expression(choices)];
  while (choices.chance(0.3)) tokens.push(',', ...expression(choices));
  if (choices.chance(0.1)) return [...tokens, ...tailOf(choices)];
  if (choices.chance(0.6)) {
    tokens.push('FROM', choices.pick(TABLES));
    if (choices.chance(0.5)) tokens.push('WHERE', ...expression(choices));
    if (choices.chance(0.1)) tokens.push('ORDER', 'BY', ...expression(choices));
    if (choices.chance(0.1))
      tokens.push('LIMIT', choices.pick(['1', '1,1', '0x1', '1.', '1OFFSET 1']));
  }
  if (choices.chance(0.1)) tokens.push('UNION', ...selectOf(choices));
  return [...tokens, ...tailOf(choices)];
}

function tailOf(choices: Choices): string[] {
  return choices.chance(0.4) ? [choices.pick(TAILS)] : [];
}

function expression(choices: Choices): string[] {
  const first = operand(choices);
  const rest = choices.chance(0.3) ? [choices.pick(COMPARING), operand(choices)] : [];
  const alias = choices.chance(0.15)
    ? [choices.pick(['AS', '']), choices.pick(['a', '1b', '`x`', "'a'"])]
    : [];
  return [first, ...rest, ...alias].filter((token) => token !== '');
}

function operand(choices: Choices): string {
  if (choices.chance(0.4)) return choices.pick(PLAIN);
  const sort = choices.next();
  if (sort < 0.4) return choices.pick(NUMBERS);
  if (sort < 0.6) return choices.pick(QUOTED);
  return sort < 0.83 ? choices.pick(NAMES) : choices.pick(CALLS);
}

/** Glue is tried most where it may be taken for a boundary. */
function joined(tokens: readonly string[], choices: Choices): string {
  return tokens.reduce((text, token) => {
    const isBoundary = !/[A-Za-z_]$/.test(text) || !/^\w/.test(token);
    const glued = choices.chance(isBoundary ? 0.35 : 0.02);
    if (glued) return text + token;
    return text + (choices.chance(0.88) ? ' ' : choices.pick(SPACES)) + token;
  });
}

function mutate(text: string, choices: Choices): string {
  const at = Math.floor(choices.next() * (text.length + 1));
  const [before, after] = [text.slice(0, at), text.slice(at)];
  const way = choices.next();
  if (way < 0.5) return before + choices.pick(INSERTED) + after;
  if (way < 0.7) return before + after.slice(1);
  if (way < 0.85) return before + choices.pick(SPACES) + after;
  return before + after.slice(0, 3) + after;
}
