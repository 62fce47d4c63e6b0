/** The promises about what not every driver can do, for those that declare it. */
import { expect } from 'vitest';
import { type InspectedTable, type InspectPage, WARNING_CODES } from '../../proto/driver.ts';
import type { JsonObject } from '../../proto/json.ts';
import { able, given } from './contract-parts.ts';
import type { Suite } from './contract-strain.ts';
import { callOf, jsonOf } from './test/host.ts';

/** Declares these tests. */
export function describeAbilities<Request>({ kind, parts, open, count }: Suite<Request>): void {
  parts.test('inspect', 'describes the table that entries are in', async () => {
    const table = given(kind().table, 'table');
    const read = able(await open('read'), 'inspect');
    const found: InspectedTable[] = [];
    for (let page: InspectPage = { limit: 50 }, more = true; more; ) {
      const told = await read.inspect(page, callOf('read'));
      found.push(...told.tables);
      const last = told.tables.at(-1);
      more = told.more && last !== undefined;
      if (last) page = { limit: 50, after: [last.namespace, last.name] };
    }
    expect(found).toContainEqual(expect.objectContaining(table));
  });

  parts.test('stream', 'streams whole lines and can be left early', async () => {
    const read = able(await open('read', 1), 'stream');
    const pieces: string[] = [];
    for await (const piece of read.stream(kind().rows(2_000), callOf('read'))) {
      pieces.push(Buffer.from(piece).toString());
    }
    expect(pieces.slice(1).every((piece) => piece.endsWith('\n'))).toBe(true);
    const lines = pieces.join('').trimEnd().split('\n');
    expect(lines.map((line) => typeof JSON.parse(line))).toEqual(Array(2_000).fill('object'));
    for await (const piece of read.stream(kind().rows(1_000_000), callOf('read'))) {
      if (piece.length > 0) break;
    }
    expect(await count(read, 'nobody')).toBe(0);
  });

  parts.test('stream', 'tells the columns of a stream first, where rows have any', async () => {
    const read = able(await open('read', 1), 'stream');
    if (!read.hasColumns) return expect(read.hasColumns).toBe(false);
    const lines = async (tellsColumns: boolean) => {
      let text = '';
      for await (const piece of read.stream(kind().rows(3), { ...callOf('read'), tellsColumns })) {
        text += Buffer.from(piece).toString();
      }
      return text;
    };
    const { columns } = jsonOf(await read.run(kind().rows(3), callOf('read'))) as JsonObject;
    const plain = await lines(false);
    expect(plain.trimEnd().split('\n')).toHaveLength(3);
    expect(await lines(true)).toBe(`${JSON.stringify({ columns })}\n${plain}`);
  });

  parts.test('transact', 'keeps all of a transaction or nothing', async () => {
    const write = able(await open('write'), 'transact');
    const all = await write.transact([kind().add('both'), kind().add('both')], callOf('write'));
    expect(jsonOf(all)).toHaveLength(2);
    const half = write.transact([kind().add('half'), kind().refused.request], callOf('write'));
    await expect(half).rejects.toMatchObject({ details: [{ operation: 1 }] });
    expect([await count(write, 'both'), await count(write, 'half')]).toEqual([2, 0]);
  });

  parts.test('lease', 'lends one connection of its own and frees it', async () => {
    const write = able(await open('write', 1), 'lease');
    const lease = await write.lease(callOf('write'));
    await lease.run(kind().add('leased'), callOf('write'));
    await lease.close();
    expect(await count(write, 'leased')).toBe(1);
  });

  parts.test('watch', 'sends what happens once it has begun, until its reader leaves', async () => {
    const { watch, cause, event } = given(kind().events, 'events');
    const leaving = new AbortController();
    const read = able(await open('read'), 'watch');
    const call = callOf('read', { signal: leaving.signal });
    const events = read.watch(watch, call, undefined)[Symbol.asyncIterator]();
    expect((await events.next()).value?.data).toHaveLength(0);
    await (await open('write')).run(cause, callOf('write'));
    expect(jsonOf((await events.next()).value?.data)).toMatchObject(event);
    const reason = new Error('left');
    leaving.abort(reason);
    await expect(events.next()).rejects.toBe(reason);
    expect(await count(read, 'nobody')).toBe(0);
  });

  parts.test('warnings', 'warns by known codes, and without the password', async () => {
    const warnings = await able(await open('read'), 'warnings').warnings(callOf('read'));
    for (const { code, message } of warnings) {
      expect(WARNING_CODES).toContain(code);
      expect(message).not.toContain(kind().connections.password);
    }
    expect(Array.isArray(warnings)).toBe(true);
  });
}
