/** Requests whose first line and `Host` are anything: made of one seed, sent byte for byte. */

/** One request, and what the promise asks of its reply. */
export interface Sent {
  readonly method: string;
  /** As in the first line. */
  readonly target: string;
  readonly hosts: readonly string[];
  readonly head: string;
  /** The path in the first line; undefined when that holds none. */
  readonly path: string | undefined;
  /** Nothing is odd about it: the page at its path must answer. */
  readonly isPlain: boolean;
}

/** Numbers below `below` from a seed. */
type Random = (below: number) => number;

/** Source: mulberry32, public domain. */
export function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const GOOD = [
  ...['a', 'localhost', 'gateway.example:8787', '127.0.0.1', '[::1]', '[::1]:80', 'A_b.c-d.'],
  ...['xn--bcher-kva.example:0', '[::ffff:10.0.0.1]:65535', 'a:'],
];
const BAD = [
  ...[
    '',
    ' ',
    'a b',
    '"a"',
    '<a>',
    '[::1',
    'a:b',
    'u:p@a',
    '@',
    'a:99999',
    'a:65536',
    ':80',
    'a, b',
  ],
  ...[
    'a:80:80',
    '::1',
    '[::1]x',
    '[v1.x]',
    '[::1%25lo]',
    '1.2.3.4.5',
    '999.1.1.1',
    '%',
    'a%2f',
    '*',
  ],
  ...['a\t', 'a\tb', 'a\x01', 'a\x7f', '\xe4', '\xc3\xa4', '\xef\xbc\x8f', 'http://a', '//a', '.'],
];
/** What ends, begins or escapes a part of a URL for some reader. */
const MARKS = ['/', '?', '#', '\\', '@', ':', ';', '%23', '%3f', '%2f', '/..', '//', '\t', ' ', ''];
const METHODS = ['OPTIONS', 'TRACE', 'CONNECT', 'HEAD', 'POST', 'get', 'FOO'];
const AUTHORITIES = [
  'evil',
  'evil:443',
  'u:p@evil',
  '[::1]',
  '',
  'a:99999',
  'evil\\',
  'evil#',
  'evil?',
];

/** The next request. @param pages paths of what is there */
export function nextRequest(random: Random, pages: readonly string[]): Sent {
  const pick = <Item>(from: readonly Item[]): Item => from[random(from.length)] as Item; // Never empty.
  const page = pick(pages);
  const hosts = hostsOf(random, pick, pages);
  const target = targetOf(random, pick, page, pages);
  const method = random(20) === 0 ? pick(METHODS) : 'GET';
  const version = random(20) === 0 ? pick(['1.0', '1.1', '2.0', '0.9', '']) : '1.1';
  const name = random(10) === 0 ? pick(['host', 'HOST', 'Host ', ' Host', 'hOsT']) : 'Host';
  const lines = [`${method} ${target} HTTP/${version}`, ...hosts.map((host) => `${name}: ${host}`)];
  const [only, ...others] = hosts;
  const isPlain =
    only !== undefined &&
    others.length === 0 &&
    GOOD.includes(only) &&
    target === page &&
    name.trim() === name &&
    method === 'GET' &&
    version === '1.1';
  return { method, target, hosts, head: lines.join('\r\n'), path: pathOf(target), isPlain };
}

type Pick = <Item>(from: readonly Item[]) => Item;

function hostsOf(random: Random, pick: Pick, pages: readonly string[]): string[] {
  const one = (): string => {
    const way = random(12);
    if (way >= 8 || way < 2) return pick(GOOD);
    if (way < 3) return pick(BAD);
    if (way < 6) return pick(GOOD) + pick(MARKS) + pick(pages) + pick(MARKS);
    if (way < 7) return inserted(random, pick(GOOD));
    return Array.from({ length: random(12) }, () => byte(random)).join('');
  };
  const count = random(12);
  if (count === 0) return [];
  return count === 1 ? [one(), one()] : [one()];
}

function targetOf(random: Random, pick: Pick, page: string, pages: readonly string[]): string {
  const other = pick(pages);
  const way = random(12);
  if (way < 5) return page;
  if (way < 7) return `${pick(['http', 'https', 'HTTP', 'ftp'])}://${pick(AUTHORITIES)}${page}`;
  if (way === 7) return pick(['*', 'evil', 'evil:443', '@', 'x:y', ...MARKS]) + pick(['', page]);
  if (way === 8) return page + pick(MARKS) + other;
  if (way === 9)
    return pick(['//evil', '/\\evil', '/..', '/%2e%2e', '/.', '///', '/@a', '\\']) + page;
  if (way === 10) return inserted(random, page);
  return page + pick(['?', '#', '?x=', '?#', '%', '%2f..', '/.', '/../']) + pick(['', other]);
}

/** Any but the two that end a line. */
function byte(random: Random): string {
  const code = random(256);
  return code === 10 || code === 13 ? '/' : String.fromCharCode(code);
}

function inserted(random: Random, text: string): string {
  const at = random(text.length + 1);
  return text.slice(0, at) + byte(random) + text.slice(at);
}

/** RFC 9112 §3.2: of the origin form, or of the absolute form; the others have none. */
function pathOf(target: string): string | undefined {
  // Some readers take two spaces for one.
  if (/^ *\//.test(target)) return /^[^?#]*/.exec(target.trimStart())?.[0];
  const absolute = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(target);
  return absolute === null ? undefined : absolute[1] || '/';
}
