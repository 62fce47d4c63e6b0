/** The promises of drivers that tell changes: each once, in order, as reads give them, at flat memory. */
import { expect } from 'vitest';
import type { Change, ChangeBatch, WatchedCollection } from '../../proto/changes.ts';
import { able, given } from './contract-parts.ts';
import type { Suite } from './contract-strain.ts';
import { callOf } from './test/host.ts';
import { heldBytes } from './test/memory.ts';
import { Reading } from './test/reading.ts';

const KEYS = 10;
const VALUES = 40;
/** Changes that are reported at flat memory, and rows of each statement. */
const LONGEST = 100_000;
const ROWS = 10_000;
/** How often memory is looked at: each look is a whole collection. */
const LOOKS = 20;
const KILLS = 15;
/** Of what is told, the share by which memory may grow after the first fifth: all that is kept would be over a half. */
const GROWTH_MAX_SHARE = 0.25;
const SLOT = 'causeway_contract';

/** A kind's words for a collection of numbers and texts by key. */
export interface ChangedCase<Request> {
  readonly collections: readonly WatchedCollection[];
  /** Gives a key a number, whether it is there or not. */
  set(key: number, value: number): Request;
  /** Adds so many keys from one on, each with a text of 500 characters. */
  add(from: number, count: number): Request;
  /** What a read of a key answers. */
  read(key: number): Request;
  /** The text in such an answer that a change reports as what is after it. */
  readText(result: string): string;
  /** The key and number that a change reports. */
  told(change: Change): { readonly key: number; readonly value: number };
  /** False where what happens while nobody reads is lost. */
  readonly keeps: boolean;
  /** Changes that are told at flat memory, 100,000 when left out. */
  readonly longest?: number;
}

/** Declares these tests. */
export function describeChanges<Request>(suite: Suite<Request>): void {
  const { parts } = suite;
  parts.describe('changes', 'changes', () => {
    parts.test(
      'changes',
      'are told once each, in the order of their key, though readers are killed',
      () => survivesKills(suite),
    );
    parts.test('changes', 'tell what a read gives', () => tellsWhatIsRead(suite));
    parts.test(
      'changes',
      'are told in bounded batches, at flat memory',
      () => staysFlat(suite),
      240_000,
    );
  });
}

async function prepared<Request>({ kind, open }: Suite<Request>) {
  const changed = given(kind().changed, 'changed');
  const client = able(await open('write', 8), 'changes');
  const collections = [...changed.collections];
  const { position } = await client.prepareChanges({ slot: SLOT, collections }, callOf('write'));
  /** A reader that stands. */
  const reader = async (from: string) => {
    const place = from === '' ? undefined : from;
    const reading = new Reading({ client, slot: SLOT }, collections, place);
    await reading.batch();
    return reading;
  };
  const end = async (reading: Reading) => {
    await reading.end();
    await client.dropChanges(SLOT, callOf('write'));
  };
  return { changed, client, position, reader, end };
}

async function survivesKills<Request>(suite: Suite<Request>): Promise<void> {
  const { changed, client, position, reader, end } = await prepared(suite);
  const write = async () => {
    for (let value = 1; value <= VALUES; value += 1) {
      for (let key = 1; key <= KEYS; key += 1) {
        await client.run(changed.set(key, value), callOf('write'));
      }
    }
  };
  let reading = await reader(position);
  const writing = write();
  const told: Change[] = [];
  for (let kills = 0; told.length < KEYS * VALUES; ) {
    const batch = await reading.batch();
    told.push(...batch.changes);
    if (told.length % 3 === 0) await client.acknowledgeChanges(SLOT, batch.position);
    if (!changed.keeps || batch.changes.length === 0 || kills >= KILLS) continue;
    kills += 1;
    reading.leaving.abort(new Error('killed'));
    await reading.end();
    reading = await reader(batch.position);
    told.push(...reading.taken);
  }
  await writing;
  await end(reading);
  for (let key = 1; key <= KEYS; key += 1) {
    const values = told.map(changed.told).flatMap((each) => (each.key === key ? each.value : []));
    if (changed.keeps) expect(values).toEqual(Array.from({ length: VALUES }, (_, at) => at + 1));
    else expectInOrder(values);
  }
  if (changed.keeps) expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
}

/** What a value is when it is told may be what a later change made of it, never what an earlier one did. */
function expectInOrder(values: readonly number[]): void {
  expect(values).toHaveLength(VALUES);
  expect(values).toEqual(values.toSorted((one, other) => one - other));
  expect(values.at(-1)).toBe(VALUES);
}

async function tellsWhatIsRead<Request>(suite: Suite<Request>): Promise<void> {
  const { changed, client, position, reader, end } = await prepared(suite);
  const reading = await reader(position);
  await client.run(changed.set(KEYS + 1, 7), callOf('write'));
  await reading.changes(1);
  const read = Buffer.from(await client.run(changed.read(KEYS + 1), callOf('read'))).toString();
  const after = Buffer.from(reading.taken[0]?.after ?? []).toString();
  await end(reading);
  expect(after).toBe(changed.readText(read));
  expect(after.length).toBeGreaterThan(0);
}

async function staysFlat<Request>(suite: Suite<Request>): Promise<void> {
  const { changed, client, position, reader, end } = await prepared(suite);
  const { longest = LONGEST } = changed;
  const rows = Math.min(ROWS, longest / 20);
  const write = async () => {
    for (let from = 0; from < longest; from += rows) {
      await client.run(changed.add(1_000 + from, rows), callOf('write'));
    }
  };
  const reading = await reader(position);
  const writing = write();
  const held = { early: 0, late: Number.POSITIVE_INFINITY };
  let most = { changes: 0, bytes: 0 };
  let count = 0;
  let bytes = 0;
  for (let looks = 0; count < longest; ) {
    const batch = await reading.batch();
    reading.taken.length = 0;
    most = mostOf(most, batch);
    count += batch.changes.length;
    bytes += bytesOf(batch.changes);
    await client.acknowledgeChanges(SLOT, batch.position);
    if (count < (longest / LOOKS) * looks) continue;
    looks += 1;
    if (count < longest / 5) held.early = Math.max(held.early, await heldBytes());
    else if (count > (longest * 3) / 4) held.late = Math.min(held.late, await heldBytes());
  }
  await writing;
  await end(reading);
  expect(count).toBe(longest);
  expect(most.changes).toBeLessThanOrEqual(1_000);
  expect(most.bytes).toBeLessThan(2 * 1024 * 1024);
  expect(held.late - held.early).toBeLessThan(bytes * GROWTH_MAX_SHARE);
}

/** The most that any batch has had, its last change left out of its bytes. */
function mostOf(before: { changes: number; bytes: number }, { changes }: ChangeBatch) {
  return {
    changes: Math.max(before.changes, changes.length),
    bytes: Math.max(before.bytes, bytesOf(changes.slice(0, -1))),
  };
}

function bytesOf(changes: readonly Change[]): number {
  return changes.reduce((sum, { after }) => sum + (after?.length ?? 0), 0);
}
