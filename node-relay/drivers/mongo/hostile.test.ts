/** Servers that say what no server says: what they can make of the driver. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Binary, type Document, Long, ObjectId } from 'mongodb';
import { afterEach, describe, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { after, failureOf } from '../contract.ts';
import { callOf, openClient, testHost } from '../test/host.ts';
import { type MongoBackend, mongo } from './index.ts';
import { entries } from './test/database.ts';
import { HELLO, HostileServer, type Said } from './test/hostile.ts';

let server: HostileServer;
const sessions: MongoBackend[] = [];
const dialled: string[] = [];

afterEach(async () => {
  server.stop();
  await Promise.all(sessions.splice(0).map((session) => session.close()));
  dialled.length = 0;
});

/** A session that dials this server alone. */
async function open(
  say: (name: string, command: Document, head: (length: number) => Buffer) => Said,
  options = 'directConnection=true',
  user = '',
  mode: 'read' | 'write' = 'read',
): Promise<MongoBackend> {
  server = await HostileServer.start(say);
  const real = testHost(1);
  const url = `mongodb://${user}127.0.0.1:${server.port}/test?serverSelectionTimeoutMS=2000&${options}`;
  const host: typeof real = {
    ...real,
    async dial(name, port, signal) {
      dialled.push(`${name}:${port}`);
      if (port !== server.port) throw new GatewayError('ADDRESS_REFUSED', 'not there');
      return real.dial(name, port, signal);
    },
  };
  const session = await openClient(mongo, { connection: { url }, mode, host });
  sessions.push(session);
  return session;
}

const isHello = (name: string) => /^(?:hello|ismaster)$/i.test(name);
const find = entries('find');
const UPDATE = { $set: { a: 1 } };
const found = (id: Long = Long.ZERO) => ({
  ok: 1,
  cursor: { id, ns: 'test.entries', firstBatch: [] },
});
const ended = (session: MongoBackend) => failureOf(session.run(find, callOf('read')));

describe('a reply', () => {
  test.each([
    ['of no length', 0, 'CONNECTION_FAILED'],
    ['of less than a head', 15, 'CONNECTION_FAILED'],
    ['of a negative length', -1, 'CONNECTION_FAILED'],
    ['of 600 MB', 600_000_000, 'RESULT_TOO_LARGE'],
    ['of 2 GiB', 2 ** 31 - 1, 'RESULT_TOO_LARGE'],
  ])('%s ends its call at its head', async (_, length, code) => {
    const session = await open((name, __, head) => (isHello(name) ? HELLO : head(length)));
    expect(await ended(session)).toMatchObject({ code });
  });

  test.each<[string, (head: (length: number) => Buffer) => Buffer]>([
    ['to another request', (head) => withNumber(head(26), 8, 7)],
    ['that is compressed', (head) => withNumber(head(26), 12, 2012)],
    ['of an opcode that there is not', (head) => withNumber(head(26), 12, 99)],
    ['of two documents', (head) => Buffer.concat([head(31), Buffer.alloc(5), EMPTY, EMPTY])],
    ['with another to come', (head) => Buffer.concat([head(26), flagged(2), EMPTY])],
    [
      'in several sections',
      (head) => Buffer.concat([head(26), Buffer.from([0, 0, 0, 0, 1]), EMPTY]),
    ],
    ['that is followed by more', (head) => Buffer.concat([head(26), flagged(0), EMPTY, EMPTY])],
  ])('%s is none', async (_, reply) => {
    const session = await open((name, __, head) => (isHello(name) ? HELLO : reply(head)));
    expect(await ended(session)).toMatchObject({ code: 'CONNECTION_FAILED' });
  });

  test.each<[string, Document]>([
    ['without a cursor', { ok: 1 }],
    ['with a cursor that is none', { ok: 1, cursor: 5 }],
    [
      'with documents that are none',
      { ok: 1, cursor: { id: Long.ZERO, ns: 'a.b', firstBatch: [5] } },
    ],
    ['with a time that is none', { ...found(), $clusterTime: { clusterTime: 5 } }],
    ['with labels that are none', { ok: 0, code: 2, errorLabels: 5 }],
    ['that stands in for the driver', { ok: 0, code: 2, addErrorLabel: 1, errorLabelSet: 2 }],
  ])('to a query %s is a failed connection', async (_, said) => {
    const session = await open((name) => (isHello(name) ? HELLO : said));
    expect(await ended(session)).toMatchObject({ code: 'CONNECTION_FAILED' });
  });

  test.each<[string, Document]>([
    ['without a count', { ok: 1 }],
    ['with a count that is none', { ok: 1, n: 'x', nModified: 0 }],
    ['with a count below zero', { ok: 1, n: -1, nModified: -1 }],
  ])('to a write %s leaves its outcome unknown', async (_, said) => {
    const session = await open((name) => (isHello(name) ? HELLO : said), undefined, '', 'write');
    const update = { type: 'update_one', collection: 'entries', filter: {}, update: UPDATE };
    const failed = await failureOf(session.run(update as typeof find, callOf('write')));
    expect(failed).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  });

  test('that never comes ends with the deadline', async () => {
    const session = await open((name) => (isHello(name) ? HELLO : 'silence'));
    const reason = new GatewayError('TIMED_OUT', 'late');
    const call = callOf('read', { signal: after(300, reason) });
    expect(await failureOf(session.run(find, call))).toBe(reason);
  });
});

describe('what a server says of itself', () => {
  test.each<[string, Document]>([
    ['members that are no addresses', { setName: 'set', hosts: [5, '::::'] }],
    [
      'a thousand members',
      { setName: 'set', hosts: Array.from({ length: 1_000 }, (_, n) => `h${n}:1`) },
    ],
    ['a version that is none', { topologyVersion: { processId: 5, counter: 'x' } }],
    ['a service that is none', { serviceId: 5 }],
    ['batches of nothing', { maxWriteBatchSize: 0 }],
    ['a refusal in the place of the driver', { ok: 0, addErrorLabel: 1, errorLabelSet: 2 }],
    ['a refusal of a version that is none', { ok: 0, topologyVersion: { processId: 5 } }],
  ])('%s: the connection fails, and nobody else is dialled', async (_, more) => {
    const session = await open(() => ({ ...HELLO, ...more }), 'replicaSet=set');
    expect(await ended(session)).toMatchObject({ code: 'CONNECTION_FAILED' });
    expect(new Set(dialled)).toEqual(new Set([`127.0.0.1:${server.port}`]));
  });

  test('members elsewhere are dialled by the relay alone, now and then', async () => {
    const hosts = () => ['10.0.0.7:27017', '169.254.169.254:80', `127.0.0.1:${server.port}`];
    const set = () => ({ ...HELLO, setName: 'set', hosts: hosts(), primary: '10.0.0.7:27017' });
    const session = await open((name) => (isHello(name) ? set() : found()), 'replicaSet=set');
    await session.run(find, callOf('read'));
    await sleep(1_500);
    expect(new Set(dialled)).toEqual(new Set(hosts()));
    expect(dialled.length).toBeLessThan(20);
  });

  test('members that change with each look are followed no faster', async () => {
    let looks = 0;
    const set = () => {
      looks += 1;
      const hosts = Array.from({ length: 40 }, (_, n) => `h${looks}-${n}:27017`);
      const topologyVersion = { processId: new ObjectId(), counter: Long.fromNumber(looks) };
      return {
        ...HELLO,
        isWritablePrimary: false,
        secondary: true,
        setName: 'set',
        hosts,
        topologyVersion,
      };
    };
    const session = await open((name) => (isHello(name) ? set() : found()), 'replicaSet=set');
    expect(await ended(session)).toMatchObject({
      code: expect.stringMatching(/CONNECTION_FAILED|ADDRESS_REFUSED/),
    });
    expect(dialled.length).toBeLessThan(500);
  });

  test('a login that asks for endless hashes ends before the first', async () => {
    const first = ({ payload }: Document) => {
      const [, nonce] = /r=(.*)/.exec(Buffer.from(payload.buffer).toString()) ?? [];
      return new Binary(Buffer.from(`r=${nonce}x,s=c2FsdA==,i=2147483647`));
    };
    const say = (name: string, command: Document) =>
      isHello(name) ? HELLO : { ok: 1, conversationId: 1, done: false, payload: first(command) };
    const session = await open(say, 'directConnection=true&authMechanism=SCRAM-SHA-256', 'u:p@');
    expect(await ended(session)).toMatchObject({ code: 'CONNECTION_FAILED' });
    expect(server.asked).toContain('saslStart');
    expect(server.asked).not.toContain('saslContinue');
  });
});

const EMPTY = Buffer.from([5, 0, 0, 0, 0]);

/** Flags, and the kind of the one section. */
function flagged(flags: number): Buffer {
  return Buffer.from([flags, 0, 0, 0, 0]);
}

function withNumber(head: Buffer, at: number, value: number): Buffer {
  head.writeInt32LE(value, at);
  return Buffer.concat([head, flagged(0), EMPTY]);
}
