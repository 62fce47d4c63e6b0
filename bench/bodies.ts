/**
 * What it costs that no digit of a body is lost: `parseJson` as a ratio to a plain `JSON.parse` of
 * the same text. Bodies without numbers that a double rounds should pay next to nothing; the last
 * sorts hold numbers that look long, and numbers that are kept as text. Then what it costs that
 * nothing is written otherwise than it was: reading a body with the look for that, and writing it
 * again, as a ratio to the same without; at least that much is done for every body. Same run,
 * interleaved, medians.
 *
 * With `--whole` also what share of a whole request that look is: of a read whose parameter the body
 * is, through gateway and relay, each of which looks once.
 *
 * npm run bench -- bodies [--rounds 15] [--whole]
 */
import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { DEPTH_MAX, parseJson } from '../proto/json.ts';
import { lookThrough } from '../proto/written-json.ts';
import { startBackend } from '../test/servers/backends.ts';
import { type MeasuredGateway, startGateway } from './gateway.ts';
import { median, tell } from './report.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    whole: { type: 'boolean', default: false },
  },
});
const ROUNDS = Number(values.rounds);
/** Requests of each body, after as many that are not measured. */
const REQUESTS = 60;
/** Short texts are parsed many times over, so that the clock can tell. */
const CHARACTERS_PER_ROUND = 4 * 1024 * 1024;

const SIZES: readonly (readonly [name: string, characters: number])[] = [
  ['1 KiB', 1024],
  ['64 KiB', 64 * 1024],
  ['10 MiB', 10 * 1024 * 1024],
];

/** The size that results are kept of. */
const TOLD = '64 KiB';

/** Element number `at` of a body, by the sort of body. */
const SORTS: Readonly<Record<string, (at: number) => unknown>> = {
  'records with UUIDs and timestamps': (at) => ({
    id: randomUUID(),
    created: new Date(1.7e12 + at * 1000).toISOString(),
    name: `Name ${at}`,
    price: at / 100,
    tags: ['a', String(at)],
  }),
  text: () => 'The quick brown fox jumps over the lazy dog, or does it? '.repeat(8),
  'text beyond Latin-1': () => '漢字かな交じり文、それは日本語。'.repeat(16),
  'short integers': (at) => at,
  'digits in strings': (at) => ({ card: `4111111111${100_000 + at}`, at: `2026.01.01.${at}` }),
  'microseconds since 1970': (at) => ({ at: 1_767_225_600_000_000 + at, event: 'click' }),
  'doubles with 17 digits': (at) => Math.sin(at + 0.5),
  'kept numbers (64-bit ids)': (at) => ({ id: JSON.rawJSON(`9223372036854${775_807 + at}`) }),
};

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const [QUOTE, BRACKET, BRACE] = [0x22, 0x5b, 0x7b];

console.log(`load ${loadavg()[0]?.toFixed(1)}`);
table('parsed', (text) => ({
  plain: () => JSON.parse(text) as unknown,
  ours: () => parseJson(text),
}));
table('read, and written again', looked);
if (values.whole) await wholeTable();

/** A body read and written again, with the look and without. */
function looked(text: string): Compared {
  const bytes = encoder.encode(text);
  return {
    plain: () => {
      const read = decoder.decode(bytes);
      if (read.length > 2 * DEPTH_MAX) depthOf(read);
      return encoder.encode(JSON.stringify(parseJson(read)));
    },
    ours: () => {
      const read = decoder.decode(bytes);
      lookThrough(read);
      return encoder.encode(JSON.stringify(parseJson(read)));
    },
  };
}

/** Prints what share of a request's time the look takes, at the edge and in the relay together. */
async function wholeTable(): Promise<void> {
  const server = await startBackend('postgres');
  const gateway = await startGateway(server.url);
  const sizes = SIZES.filter(([, characters]) => characters < 1024 * 1024);
  try {
    console.log(
      `\n${'% of a whole request'.padEnd(36)}${sizes.map(([size]) => size.padStart(10)).join('')}`,
    );
    for (const [sort, element] of Object.entries(SORTS)) {
      const shares: number[] = [];
      for (const [, characters] of sizes) {
        const text = bodyOf(element, characters);
        const spent = await requestMs(gateway, text);
        shares.push((100 * 2 * extraMs(text)) / spent);
      }
      console.log(sort.padEnd(36) + shares.map((each) => each.toFixed(1).padStart(10)).join(''));
    }
  } finally {
    await gateway.stop();
    await server.stop();
  }
}

/** Median time of a read with that parameter, one after another. */
async function requestMs(gateway: MeasuredGateway, text: string): Promise<number> {
  const body = `{"query":"select 1 where $1::json is not null","params":[${text}]}`;
  const times: number[] = [];
  for (let call = -REQUESTS; call < REQUESTS; call += 1) {
    const started = performance.now();
    const response = await fetch(`http://127.0.0.1:${gateway.port}${gateway.path}`, {
      method: 'POST',
      headers: { ...gateway.headers, 'Content-Type': 'application/json' },
      body,
    });
    const reply = await response.text();
    if (response.status !== 200) throw new Error(`Not a 200: ${reply}`);
    if (call >= 0) times.push(performance.now() - started);
  }
  return median(times);
}

/** Milliseconds that one look adds to reading a body and writing it again; median. */
function extraMs(text: string): number {
  const { plain, ours } = looked(text);
  const times = Math.ceil(CHARACTERS_PER_ROUND / text.length);
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    const [first, second] = round % 2 === 0 ? [plain, ours] : [ours, plain];
    const [one, other] = [milliseconds(first, times), milliseconds(second, times)];
    return (round % 2 === 0 ? other - one : one - other) / times;
  });
  return median(rounds);
}

/** What is compared, of one text. */
interface Compared {
  plain(): unknown;
  ours(): unknown;
}

function table(name: string, of: (text: string) => Compared): void {
  console.log(`\n${name.padEnd(36)}${SIZES.map(([size]) => size.padStart(10)).join('')}`);
  for (const [sort, element] of Object.entries(SORTS)) {
    const found = SIZES.map(([size, characters]) => {
      const rounds = ratios(bodyOf(element, characters), of);
      if (size === TOLD) tell(`${size}, ${sort}: ${name}, to the plain time`, rounds);
      return median(rounds);
    });
    console.log(sort.padEnd(36) + found.map((each) => each.toFixed(3).padStart(10)).join(''));
  }
}

/** How deep a text nests: what has to be looked for in any case. */
function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE)
      at = text.indexOf('"', at + 1); // None of these texts holds another.
    else if (code === BRACKET || code === BRACE) {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (code === BRACKET + 2 || code === BRACE + 2) depth -= 1;
  }
  return deepest;
}

function bodyOf(element: (at: number) => unknown, characters: number): string {
  const elements: string[] = [];
  for (let length = 2, at = 0; length < characters; at += 1) {
    const text = JSON.stringify(element(at));
    elements.push(text);
    length += text.length + 1;
  }
  return `[${elements.join(',')}]`;
}

/** How many times the plain time it takes; each goes first in turn. */
function ratios(text: string, of: (text: string) => Compared): number[] {
  const { plain, ours } = of(text);
  const times = Math.ceil(CHARACTERS_PER_ROUND / text.length);
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [first, second] = round % 2 === 0 ? [plain, ours] : [ours, plain];
    const [one, other] = [milliseconds(first, times), milliseconds(second, times)];
    rounds.push(round % 2 === 0 ? other / one : one / other);
  }
  return rounds;
}

function milliseconds(work: () => unknown, times: number): number {
  const started = performance.now();
  for (let each = 0; each < times; each += 1) work();
  return performance.now() - started;
}
