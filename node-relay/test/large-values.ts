/**
 * Promises of every driver on a large value of any characters: it holds the thread for short moments only, in whatever form it
 * leaves. In one piece it would be taken for a part that is stuck, and all whom the part serves with it.
 */
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BackendClient, Call, RowForm, Streams } from '../../proto/driver.ts';
import { callOf, jsonOf } from '../drivers/test/host.ts';
import { rowsAs } from '../row-forms.ts';

/** Bytes of a value in the database. */
const VALUE_BYTES = 6_000_000;
const RESULT_MAX_BYTES = 8 * VALUE_BYTES;
/** Milliseconds of processor time without a turn of the loop. A part with 500 counts as stuck, and a value may be eleven times as large. */
const HELD_MAX_MS = 90;
/** Milliseconds after which a relay gives way. */
const SLICE_MS = 20;
/** A collection of garbage may come in the middle of one, on a slow machine in most. What is done in one piece is held each time. */
const TRIES = 8;

/** What is repeated, and each as JSON and in CSV has it. */
const SHAPES: Readonly<Record<string, string>> = {
  quotes: '"',
  controls: '\u0001',
  plain: 'x',
  'of three bytes': '€',
  mixed: 'a,"é\n😀\\',
};

/** A driver on a database of its own. */
interface Subject<Request> {
  readonly client: BackendClient<Request> & Streams;
  /** Reads one row of one member `a`: a text of that unit so many times. */
  request(unit: string, times: number): Request | Promise<Request>;
  /** That member in a whole result. */
  valueIn(result: unknown): unknown;
  drop(): Promise<void>;
}

/** Does all of a call's work as a relay does, without the rests between. */
function turns(): NonNullable<Call['inTurn']> {
  let began = performance.now();
  return async (pieces) => {
    for (;;) {
      while (performance.now() - began < SLICE_MS) {
        const piece = pieces.next();
        if (piece.done) return piece.value;
      }
      await setImmediate();
      began = performance.now();
    }
  };
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

async function streamed<Request>(
  client: BackendClient<Request> & Streams,
  form: RowForm,
  request: Request,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const call: Call = callOf('read', { inTurn: turns() });
  // Rows of any driver.
  for await (const piece of rowsAs(form, client, request as never, call)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const csvOf = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Milliseconds that this machine takes to read and write the longest of the values in one piece. */
function onePieceMs(): number {
  const text = '\u0001'.repeat(VALUE_BYTES);
  const before = process.threadCpuUsage();
  JSON.parse(Buffer.from(JSON.stringify(text)).toString());
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Does it again while the thread is held for too long, a few times, and tells the least. */
async function leastHeld(work: () => Promise<void>, maxMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < TRIES && least >= maxMs; tried += 1) {
    const [, held] = await longestHeld(work);
    least = Math.min(least, held);
  }
  return least;
}

/** The suite, run by a test file of each driver. */
export function describeLargeValues<Request>(open: () => Promise<Subject<Request>>): void {
  let subject: Subject<Request>;
  let maxMs: number;
  beforeAll(async () => {
    subject = await open();
    // Of a slow machine: far less than a piece there.
    maxMs = Math.max(HELD_MAX_MS, Math.min(onePieceMs(), onePieceMs()) / 3);
  });
  afterAll(() => subject.drop());

  describe.each(Object.entries(SHAPES))('a large value of %s', (_, unit) => {
    const times = Math.floor(VALUE_BYTES / Buffer.byteLength(unit));
    const text = unit.repeat(times);
    let request: Request;
    beforeAll(async () => {
      request = await subject.request(unit, times);
    });

    test.each<[RowForm, string]>([
      ['lines', `{"a":${JSON.stringify(text)}}\n`],
      ['csv', `a\r\n${csvOf(text)}\r\n`],
    ])('as %s', async (form, expected) => {
      if (form === 'csv' && !subject.client.hasColumns) {
        expect(() => rowsAs(form, subject.client, request as never, callOf('read'))).toThrow();
        return;
      }
      const held = await leastHeld(async () => {
        const got = await streamed(subject.client, form, request);
        expect(got.equals(Buffer.from(expected))).toBe(true);
      }, maxMs);
      expect(held).toBeLessThan(maxMs);
    });

    test('as a whole', async () => {
      let result: Uint8Array = new Uint8Array();
      const held = await leastHeld(async () => {
        const call = callOf('read', { inTurn: turns(), resultMaxBytes: RESULT_MAX_BYTES });
        result = await subject.client.run(request, call);
      }, maxMs);
      expect(subject.valueIn(jsonOf(result)) === text).toBe(true);
      expect(held).toBeLessThan(maxMs);
    });
  });
}
