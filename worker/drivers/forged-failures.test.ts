/** An organization's own node may name anything as the failure of a call: of it is told what relays tell, in the shapes that errors have. */
import { Code, ConnectError } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import { ERRORS, type ErrorCode, isErrorCode } from '../../proto/errors.ts';
import { ErrorDetailSchema } from '../../proto/gen/relay/v1/relay_pb.ts';
import { entriesOf } from '../test/audit.ts';
import { insertEndpoint, relayInMemory, startGateway } from '../test/gateway.ts';
import { insertNode } from '../test/registered-node.ts';
import { startRunning } from '../test/running.ts';
import { TOLD_BY_RELAYS } from './errors.ts';

const SECRET = 'connect to postgres://u:SECRET@10.1.2.3:5432 failed at file.ts:10';
const OURS = 'The node answered what is no reply';

interface Forged {
  readonly code: string;
  readonly details?: string;
  readonly connectCode?: Code;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const failureOf = ({ code, details = '', connectCode, message = SECRET, headers }: Forged) =>
  new ConnectError(message, connectCode ?? Code.Internal, headers, [
    { desc: ErrorDetailSchema, value: { code, details } },
  ]);

/** An endpoint on a node of the organization's own, whose calls all fail so. */
async function start() {
  const does = { fails: { code: 'INTERNAL' } as Forged };
  const fail = () => {
    throw failureOf(does.fails);
  };
  const relay = relayInMemory({ run: fail, runStream: fail, status: () => ({}) });
  const gateway = await startGateway('Admin', { fetch: (request) => relay.fetch(request) });
  const id = await insertEndpoint(gateway);
  await gateway.call('PUT', `/endpoints/${id}/nodes/${await insertNode(gateway)}`, {});
  const bearer = await gateway.token();
  const ask = async (forged: Forged, mode: 'read' | 'write' = 'read', accept = '*/*') => {
    does.fails = forged;
    const reply = await gateway.send(`/endpoints/${id}/${mode}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${bearer}`,
        'Content-Type': 'application/json',
        Accept: accept,
      },
      body: JSON.stringify({ query: mode === 'read' ? 'select 1' : 'insert into t values (1)' }),
    });
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  };
  return { gateway, ask };
}

test('codes that no relay names are told as no reply, without a word of the node', async () => {
  const { gateway, ask } = await start();
  const forged = Object.keys(ERRORS).filter(
    (code) => isErrorCode(code) && !TOLD_BY_RELAYS.includes(code),
  );
  expect(forged).toEqual(
    expect.arrayContaining(['INTERNAL', 'TOKEN_INVALID', 'RATE_LIMITED', 'QUOTA_EXCEEDED']),
  );
  for (const code of forged) {
    for (const accept of ['*/*', 'application/x-ndjson']) {
      const read = await ask({ code, details: '[{"rule":"level"}]' }, 'read', accept);
      expect([code, read.status, JSON.parse(read.text)]).toMatchObject([
        code,
        503,
        { code: 'NODE_UNAVAILABLE', message: OURS },
      ]);
      expect(read.text).not.toContain('level');
    }
    const write = await ask({ code }, 'write');
    expect([code, write.status, JSON.parse(write.text).code]).toEqual([
      code,
      502,
      'OUTCOME_UNKNOWN',
    ]);
  }
  await gateway.settle();
  expect(
    (await entriesOf(gateway.organization.uuid)).filter(({ outcome }) => outcome === 'denied'),
  ).toEqual([]);
});

test('what the node calls forbidden is told, and is no denial of the gateway', async () => {
  const { gateway, ask } = await start();
  expect(await ask({ code: 'FORBIDDEN', connectCode: Code.PermissionDenied })).toMatchObject({
    status: 403,
  });
  await gateway.settle();
  expect(
    (await entriesOf(gateway.organization.uuid)).filter(({ outcome }) => outcome === 'denied'),
  ).toEqual([]);
});

test('the installation’s own relay may forbid, and that is in the audit', async () => {
  const gateway = await startRunning({
    run() {
      throw failureOf({ code: 'FORBIDDEN', message: 'The table is not open' });
    },
  });
  expect(await gateway.ask('/read', { query: 'select 1' })).toMatchObject({ status: 403 });
  await gateway.settle();
  expect(await entriesOf(gateway.organization.uuid)).toContainEqual(
    expect.objectContaining({ outcome: 'denied' }),
  );
});

describe('details', () => {
  const one = { path: 'query', message: 'is wrong' };
  const deep = (levels: number) => `[{"rule":"x","m":${'['.repeat(levels)}${']'.repeat(levels)}}]`;
  test.each<[string, string, unknown]>([
    ['no JSON', '[[[', undefined],
    ['null within', `[null,${JSON.stringify(one)}]`, [one]],
    ['other types', `[1,"a",[],{},${JSON.stringify(one)}]`, [one]],
    ['an object', '{"a":1}', undefined],
    [
      'members of other types',
      '[{"path":1,"message":"b"},{"source":"x","code":"y","message":{}}]',
      undefined,
    ],
    [
      'counts that are none',
      '[{"operation":-1},{"operation":1.5},{"operation":1e400},{"operation":"1"}]',
      undefined,
    ],
    ['what did not apply', '[{"operation":1,"applied":false}]', undefined],
    ['what nests too deep', deep(20_000), undefined],
    ['a prototype', '[{"__proto__":{"path":"a","message":"b"}}]', undefined],
  ])('with %s', async (_, details, told) => {
    const { ask } = await start();
    const { status, text } = await ask({ code: 'REQUEST_FAILED', details });
    expect([status, JSON.parse(text).details]).toEqual([400, told]);
  });

  test('are few', async () => {
    const { ask } = await start();
    const details = `[${'{"path":"","message":""},'.repeat(2_000)}{}]`;
    const { text } = await ask({ code: 'REQUEST_FAILED', details });
    expect(JSON.parse(text).details).toHaveLength(1_000);
  });
});

test('an error of many megabytes is not read', async () => {
  const { ask } = await start();
  const told = await ask({ code: 'REQUEST_FAILED', message: 'M'.repeat(2_000_000) });
  expect(told.status).toBe(503);
  expect(told.text.length).toBeLessThan(1_000);
});

test.each<[string, string | null]>([
  ['0', '0'],
  ['3600', '3600'],
  ['3601', '2'],
  ['1e+300', '2'],
  ['-1', '2'],
  ['1.5', '2'],
  ['soon', '2'],
])('Retry-After %s', async (given, told) => {
  const { ask } = await start();
  const forged = { code: 'SERVICE_UNAVAILABLE', connectCode: Code.Unavailable };
  const { headers } = await ask({ ...forged, headers: { 'Retry-After': given } });
  expect(headers.get('Retry-After')).toBe(told);
});

test.each<[string, boolean]>([
  ['1500', true],
  ['NaN', false],
  ['-5', false],
  ['1e999', false],
  ['1e308', false],
  ['1;dur=1', false],
])('a backend’s time of %s', async (us, isTold) => {
  const { ask } = await start();
  const { headers } = await ask({
    code: 'REQUEST_FAILED' satisfies ErrorCode,
    headers: { 'Backend-Us': us },
  });
  expect((headers.get('Server-Timing') ?? '').includes('backend;dur=')).toBe(isTold);
});
