/** Subscriptions through the relay over a real socket, called by the stock Connect client. */
import { Code } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  failureOf,
  query,
  startTestRelay,
  type TestRelay,
  targetOf,
  utf8Of,
} from './test/relay.ts';

let node: TestRelay;
beforeAll(async () => {
  node = await startTestRelay();
});
afterAll(() => node.relay.drain());

const watch = (statement: string, resumeAfter = '', signal?: AbortSignal) =>
  node.client.watch(
    {
      target: targetOf('read', { sealedConnection: node.sealed }),
      request: query(statement),
      resumeAfter,
    },
    signal ? { signal } : {},
  );

/** The first so many events. */
async function first(count: number, statement: string, resumeAfter?: string) {
  const events: [id: string, text: string][] = [];
  const leaving = new AbortController();
  for await (const { id, event } of watch(statement, resumeAfter, leaving.signal)) {
    events.push([id, utf8Of(event)]);
    if (events.length === count) break;
  }
  leaving.abort();
  return events;
}

async function drained(statement: string): Promise<string[]> {
  const texts: string[] = [];
  const failure = await failureOf(
    (async () => {
      for await (const { event } of watch(statement)) texts.push(utf8Of(event));
    })(),
  );
  return [...texts, `${failure.code}: ${failure.message}`];
}

describe('Watch', () => {
  test('tells that it stands, and then each event with its id', async () => {
    expect(await first(3, 'tell 2')).toEqual([
      ['', ''],
      ['1', '{"at":1}'],
      ['2', '{"at":2}'],
    ]);
  });

  test('goes on after an event', async () => {
    expect(await first(2, 'tell 3', '2')).toEqual([
      ['', ''],
      ['3', '{"at":3}'],
    ]);
  });

  test("ends the backend's work when the client leaves", async () => {
    const before = node.seen.aborted.length;
    await first(2, 'tell 1');
    const signal = AbortSignal.timeout(300);
    await failureOf(
      (async () => {
        for await (const _ of watch('tell 1', '', signal));
      })(),
    );
    await expect.poll(() => node.seen.aborted.length).toBeGreaterThan(before);
  });

  test('fails before it stands, and after', async () => {
    expect(await drained('refuse')).toEqual(['REQUEST_FAILED: The database refused it']);
    expect(await drained('break 1')).toEqual([
      '',
      '{"at":1}',
      'CONNECTION_FAILED: Unable to connect to database: the database was lost',
    ]);
  });

  test('is not there for kinds without events', async () => {
    const other = await startTestRelay({
      driver: {
        async open() {
          return {
            run: async () => new Uint8Array(),
            ping: async () => 1,
            async close() {},
          };
        },
      },
    });
    const target = targetOf('read', { sealedConnection: other.sealed });
    const work = async () => {
      for await (const _ of other.client.watch({ target, request: query('tell 1') }));
    };
    expect(await failureOf(work())).toEqual({
      connect: Code.Unimplemented,
      message: 'Endpoints of this kind do not have subscriptions',
      code: 'NOT_SUPPORTED',
      details: [],
    });
    await other.relay.drain();
  });
});
