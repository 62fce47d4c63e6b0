/**
 * What it costs that no digit of a body is lost: `parseJson` as a ratio to a plain `JSON.parse` of
 * the same text. Bodies without numbers that a double rounds should pay next to nothing; the last
 * sorts hold numbers that look long, and numbers that are kept as text. Same run, interleaved,
 * medians.
 *
 * npm run bench -- bodies [--rounds 15]
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { parseJson } from '../proto/json.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' } } });
const ROUNDS = Number(values.rounds);
/** Short texts are parsed many times over, so that the clock can tell. */
const CHARACTERS_PER_ROUND = 4 * 1024 * 1024;

const SIZES: readonly (readonly [name: string, characters: number])[] = [
  ['1 KiB', 1024],
  ['64 KiB', 64 * 1024],
  ['10 MiB', 10 * 1024 * 1024],
];

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

console.log(`${'body'.padEnd(36)}${SIZES.map(([name]) => name.padStart(10)).join('')}`);
for (const [sort, element] of Object.entries(SORTS)) {
  const ratios = SIZES.map(([, characters]) => ratio(bodyOf(element, characters)));
  console.log(sort.padEnd(36) + ratios.map((each) => each.toFixed(2).padStart(10)).join(''));
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

/** How many times the time of `JSON.parse` it takes; each goes first in turn. */
function ratio(text: string): number {
  const plain = () => JSON.parse(text) as unknown;
  const ours = () => parseJson(text);
  const times = Math.ceil(CHARACTERS_PER_ROUND / text.length);
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [first, second] = round % 2 === 0 ? [plain, ours] : [ours, plain];
    const [one, other] = [milliseconds(first, times), milliseconds(second, times)];
    rounds.push(round % 2 === 0 ? other / one : one / other);
  }
  const sorted = rounds.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function milliseconds(work: () => unknown, times: number): number {
  const started = performance.now();
  for (let each = 0; each < times; each += 1) work();
  return performance.now() - started;
}
