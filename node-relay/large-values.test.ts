/**
 * A large value of any characters holds the thread for short moments only, in whatever form it leaves: in one piece it would be taken
 * for a part that is stuck, and all whom the part serves with it.
 */
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BackendClient, Call, RowForm, Streams } from '../proto/driver.ts';
import type { Pieces } from '../proto/work/pieces.ts';
import { TestDatabase as PostgresDatabase } from './drivers/postgres/test/database.ts';
import { callOf } from './drivers/test/host.ts';
import { rowsAs } from './row-forms.ts';

/** Bytes of a value in the database. */
const VALUE_BYTES = 6_000_000;
/** Milliseconds of processor time without a turn of the loop. A part with 500 counts as stuck, and a value may be eleven times as large. */
const HELD_MAX_MS = 90;
/** A collection of garbage may come in the middle of one. */
const TRIES = 3;

/** What is repeated, and each as JSON and in CSV has it. */
const SHAPES: Readonly<Record<string, string>> = {
  quotes: '"',
  'quotes among others': '"x',
  controls: '\u0001',
  'line breaks': '\n',
  plain: 'x',
  backslashes: '\\',
  'of three bytes': '€',
  mixed: 'a,"é\n😀\\',
};

/** Does the work as a relay does, without the rests between. */
async function inTurn<Result>(pieces: Pieces<Result>): Promise<Result> {
  for (;;) {
    const began = performance.now();
    while (performance.now() - began < 20) {
      const piece = pieces.next();
      if (piece.done) return piece.value;
    }
    await setImmediate();
  }
}

/** The longest time that the thread works without a turn of its loop, while something is done. */
async function longestHeld<Result>(work: () => Promise<Result>): Promise<[Result, number]> {
  let longest = 0;
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      const before = process.threadCpuUsage();
      await setImmediate();
      const { user, system } = process.threadCpuUsage(before);
      longest = Math.max(longest, (user + system) / 1000);
    }
  })();
  try {
    return [await work(), longest];
  } finally {
    isDone = true;
    await watching;
  }
}

type Client = BackendClient<never> & Streams;

async function streamed(client: Client, form: RowForm, query: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const call: Call = callOf('read', { inTurn });
  const request = { type: 'query', query } as never;
  for await (const piece of rowsAs(form, client, request, call)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const csvOf = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

describe.each<[string, () => Promise<{ drop(): Promise<void>; client: Client }>, string]>([
  [
    'postgres',
    async () => {
      const database = await PostgresDatabase.create();
      const client = await database.open('read');
      return { drop: () => database.drop(), client: client as unknown as Client };
    },
    `repeat(convert_from(decode('HEX', 'hex'), 'UTF8'), TIMES)`,
  ],
])('%s', (_, open, expression) => {
  let database: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.drop());

  describe.each(Object.entries(SHAPES))('%s', (_name, unit) => {
    const bytes = Buffer.from(unit);
    const times = Math.floor(VALUE_BYTES / bytes.length);
    const query = `SELECT ${expression
      .replace('HEX', bytes.toString('hex'))
      .replace('TIMES', String(times))} AS a`;
    const text = unit.repeat(times);

    test.each<[RowForm, string]>([
      ['lines', `{"a":${JSON.stringify(text)}}\n`],
      ['csv', `a\r\n${csvOf(text)}\r\n`],
    ])('as %s', async (form, expected) => {
      let least = Number.POSITIVE_INFINITY;
      for (let tried = 0; tried < TRIES && least >= HELD_MAX_MS; tried += 1) {
        const [got, held] = await longestHeld(() => streamed(database.client, form, query));
        expect(got.equals(Buffer.from(expected))).toBe(true);
        least = Math.min(least, held);
      }
      expect(least).toBeLessThan(HELD_MAX_MS);
    });
  });
});
