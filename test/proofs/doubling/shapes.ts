/** Texts that parsers find hard: repeated, nested and unterminated openers, long runs, many names. */
import type { Choices } from '../random.ts';

/** Makes texts of about so many characters. */
export interface Shape<Made> {
  readonly name: string;
  make(size: number): Made;
}

/** Stands for a number that counts the repetitions. */
const COUNT = '\u0001';

/** What languages give a meaning to, or to many of the same. */
const ATOMS = [
  ...['(', ')', '[', ']', '{', '}', '<', '>', '"', "'", '`', '""', "''", '``', '\\', '\\"', "\\'"],
  ...[
    '$',
    '$$',
    '$a$',
    `$a${COUNT}$`,
    '{{',
    '}}',
    '{{a}}',
    '{{?a: Array = [',
    '${',
    '{a:',
    '{a:Int8}',
  ],
  ...[
    '/*',
    '*/',
    '/**/',
    '/*!',
    '/*+',
    '//',
    '--',
    '-- ',
    '#',
    '# ',
    '*',
    '/',
    '+',
    '-',
    '+-',
    '@',
    '@@',
  ],
  ...[
    '1',
    '0',
    '9',
    '.',
    '1.',
    '.1',
    '1.1',
    'e',
    '1e',
    '1e999999',
    '-1',
    '1e-99',
    '0x',
    '12345678901234567890',
  ],
  ...[
    ' ',
    '\n',
    '\t',
    '\r\n',
    '  ',
    '\u00a0',
    'é',
    '😀',
    '\ud800',
    '\u0301',
    '\u2018',
    '\u201c',
    '\u0000',
  ],
  ...[
    'a',
    'A',
    'b',
    '_',
    `a${COUNT}`,
    'a.',
    '.a',
    'a,',
    'a=',
    'a:',
    ':a',
    '?',
    '&',
    '|',
    '!',
    '^',
    '~',
    '%',
    '%41',
  ],
  ...[
    ',',
    ';',
    ':',
    '=',
    '&&',
    '||',
    '..',
    '~0',
    '~1',
    '\\u0041',
    '\\n',
    '\\x00',
    '=>',
    '?.',
    '==',
  ],
  ...[
    'select ',
    'from ',
    'with ',
    'as ',
    'null',
    'true',
    'E',
    "E'",
    "X'",
    "U&'",
    "b'",
    'not ',
    'case ',
  ],
  ...[
    '"a":',
    '"a":1,',
    `"a${COUNT}":1,`,
    '[1,',
    '{"a":',
    '"",',
    'W/"a",',
    'data: 1\n',
    'a(',
    'f(a,',
  ],
] as const;

/** Ways to make a text of parts. */
const WAYS = ['repeated', 'repeated', 'repeated', 'around', 'nested'] as const;

/** The shapes that nobody should have to wait for chance to find. */
export const NAMED: readonly Shape<string>[] = [
  ...ATOMS.map((atom) => repeated('', atom, '')),
  ...[
    ['"', '\\', ''],
    ['"', '\\"', ''],
    ["'", "''", ''],
    ['$', '[*,', ''],
    ['[', '1,', '1]'],
    ['[', '12345678901234567890,', '1]'],
    ['{"x":[', '12345678901234567890,', '1]}'],
    ['[', '1e999999,', '1]'],
    ['["', 'a', '"]'],
    ['["', '\\u0041', '"]'],
    ['{', `"a${COUNT}":1,`, '"b":2}'],
    ['{', '"a":1,', '"a":2}'],
    ['1e', '9', ''],
    ['0.', '0', '1'],
    ['', '0', '1'],
    ['1', '0', '.5'],
    ['select 1', '/**/', ''],
    ['select 1', '+', ''],
    ['select ', '-+', '1'],
    ['select ', '/*', ''],
    ["select '", "' '", ''],
    ['select ', 'a,', 'a'],
    ['select 1', ' or 1', ''],
    ['select 1', ' union select 1', ''],
    ['select 1 from t', ' union select 1 from t', ''],
    ['with x as (select 1)', ', t as (select 1 from t)', ' select * from t'],
    ['select ', '$1, ', '1'],
    ['', '9', 'x'],
    ['', '=', 'a'],
    ['', '/', 'a'],
    ['', '%', '\n'],
    [':', '1', 'x'],
    ['', '.$', ''],
    ['', 'VERB', ''],
    ['', 'URL', ''],
    ['ssl={', 'rejectUnauthorized', ''],
  ].map(([before = '', unit = '', after = '']) => repeated(before, unit, after)),
  nested('[', '1', ']'),
  nested('{"a":', '1', '}'),
  nested('(', '1', ')'),
  nested('/*', '', '*/'),
  nested('select (', '1', ')'),
];

/** A shape by chance. */
export function shapeOf(choices: Choices): Shape<string> {
  const part = (most: number) =>
    Array.from({ length: Math.floor(choices.next() * (most + 1)) }, () => choices.pick(ATOMS)).join(
      '',
    );
  const unit = choices.pick(ATOMS) + part(2);
  const way = choices.pick(WAYS);
  if (way === 'nested') return nested(unit, part(1), part(2));
  if (way === 'around')
    return around(part(1), unit, choices.pick(ATOMS), choices.pick(ATOMS) + part(1));
  return repeated(part(2), unit, part(2));
}

function repeated(before: string, unit: string, after: string): Shape<string> {
  return {
    name: `${JSON.stringify(before)} ${JSON.stringify(unit)}… ${JSON.stringify(after)}`,
    make: (size) => before + times(unit, size) + after,
  };
}

/** Half of one, then half of another: what ends late, or never, after many beginnings. */
function around(before: string, unit: string, between: string, other: string): Shape<string> {
  return {
    name: `${JSON.stringify(before)} ${JSON.stringify(unit)}… ${JSON.stringify(between)} ${JSON.stringify(other)}…`,
    make: (size) => before + times(unit, size / 2) + between + times(other, size / 2),
  };
}

function nested(open: string, inner: string, close: string): Shape<string> {
  return {
    name: `${JSON.stringify(open)}… ${JSON.stringify(inner)} ${JSON.stringify(close)}…`,
    make(size) {
      const depth = Math.floor(size / (open.length + close.length));
      return times(open, depth * open.length) + inner + times(close, depth * close.length);
    },
  };
}

/** The unit again and again, numbered where it counts. */
function times(unit: string, size: number): string {
  const count = Math.max(1, Math.floor(size / unit.length));
  if (!unit.includes(COUNT)) return unit.repeat(count);
  return Array.from({ length: count }, (_, at) => unit.replaceAll(COUNT, String(at))).join('');
}
