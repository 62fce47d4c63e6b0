import { env } from 'cloudflare:test';
import { Code } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import type { InspectedTable } from '../../proto/driver.ts';
import type { InspectRequest } from '../../proto/gen/relay/v1/relay_pb.ts';
import { failure } from '../test/gateway.ts';
import { bytes, startRunning, told } from '../test/running.ts';
import { countTrips } from '../test/trips.ts';

const table = (namespace: string, name: string): InspectedTable => ({
  namespace,
  name,
  type: 'table',
  columns: [{ name: 'id', type: 'bigint', nullable: false }],
  primary_key: ['id'],
  indexes: [{ name: `${name}_pkey`, columns: ['id'], unique: true }],
});
const shown = (name: string) => {
  const { namespace: _, ...rest } = table('', name);
  return rest;
};

/** A relay whose backend holds these tables, and what it was asked. */
function holding(...tables: readonly InspectedTable[]) {
  const asked: InspectRequest[] = [];
  return {
    asked,
    inspect(request: InspectRequest) {
      asked.push(request);
      const { afterNamespace, afterName, limit } = request;
      const at = tables.findIndex(
        (each) => each.namespace === afterNamespace && each.name === afterName,
      );
      const page = tables.slice(at + 1, at + 1 + limit);
      return {
        tables: bytes(JSON.stringify(page)),
        more: at + 1 + limit < tables.length,
        backendUs: 1500n,
      };
    },
  };
}

const schema = (query = '') => `/endpoints/orders/schema${query}`;
const success = (data: unknown) => ({ status: 200, body: { status: 'success', data } });
const cursorOf = ({ body }: { body: unknown }) =>
  (body as { data: { next_cursor: string } }).data.next_cursor;
const NOT_OF_THIS_LIST = {
  status: 400,
  body: failure('BAD_REQUEST', 'cursor: is not one of this list', [
    { path: 'cursor', message: 'is not one of this list' },
  ]),
};

describe('the schema of an endpoint', () => {
  test('is tables by namespace, as the connection for reads sees them', async () => {
    const relay = holding(table('public', 'a'), table('public', 'b'), table('stock', 'a'));
    const gateway = await startRunning(relay);
    expect(await gateway.call('GET', schema())).toEqual(
      success({
        namespaces: [
          { name: 'public', tables: [shown('a'), shown('b')] },
          { name: 'stock', tables: [shown('a')] },
        ],
      }),
    );
    expect(relay.asked).toMatchObject([
      { afterNamespace: '', afterName: '', limit: 1000, target: { mode: 'read' } },
    ]);
  });

  test('comes in pages of tables, across namespaces', async () => {
    const relay = holding(table('public', 'a'), table('public', 'b'), table('stock', 'a'));
    const gateway = await startRunning(relay);
    const first = await gateway.call('GET', schema('?limit=2'));
    expect(first).toEqual(
      success({
        namespaces: [{ name: 'public', tables: [shown('a'), shown('b')] }],
        next_cursor: expect.any(String),
      }),
    );
    expect(await gateway.call('GET', schema(`?limit=2&cursor=${cursorOf(first)}`))).toEqual(
      success({ namespaces: [{ name: 'stock', tables: [shown('a')] }] }),
    );
  });

  test('may be empty', async () => {
    const gateway = await startRunning(holding());
    expect(await gateway.call('GET', schema())).toEqual(success({ namespaces: [] }));
  });

  test('costs no relay within a minute, for any caller, and one after it', async () => {
    const relay = holding(table('public', 'a'));
    const gateway = await startRunning(relay);
    const reader = await gateway.token(await gateway.addUser('Read'));
    const first = await gateway.call('GET', schema());
    gateway.clock.now += 59_000;
    expect(await gateway.call('GET', schema(), undefined, reader)).toEqual(first);
    expect(relay.asked).toHaveLength(1);
    gateway.clock.now += 2_000;
    expect(await gateway.call('GET', schema())).toEqual(first);
    expect(relay.asked).toHaveLength(2);
  });

  test('is asked for again when the configuration changes, and for each page', async () => {
    const relay = holding(table('public', 'a'), table('public', 'b'));
    const gateway = await startRunning(relay);
    const first = await gateway.call('GET', schema('?limit=1'));
    await gateway.call('GET', schema('?limit=2'));
    await gateway.call('GET', schema(`?limit=1&cursor=${cursorOf(first)}`));
    expect(relay.asked).toHaveLength(3);
    await gateway.call('PATCH', '/endpoints/orders', {
      config: { write_conn: { url: 'postgresql://u:p@db.test:5432/other' } },
    });
    await gateway.call('GET', schema('?limit=1'));
    expect(relay.asked).toHaveLength(4);
  });

  test('is not told twice after a failure', async () => {
    let calls = 0;
    const gateway = await startRunning({
      inspect() {
        calls += 1;
        if (calls === 1) throw told(Code.Aborted, 'CONNECTION_FAILED', 'Nobody listens');
        return { tables: bytes('[]') };
      },
    });
    expect(await gateway.call('GET', schema())).toEqual({
      status: 502,
      body: failure('CONNECTION_FAILED', 'Unable to connect to database: nobody listens'),
    });
    expect(await gateway.call('GET', schema())).toEqual(success({ namespaces: [] }));
  });

  test('is a read in the usage', async () => {
    // What is counted on one binding is written together: others' tests use another.
    const { binding } = countTrips(env.DB);
    const gateway = await startRunning(holding(), { bindings: { DB: binding } });
    await gateway.call('GET', schema());
    await gateway.call('GET', schema());
    await gateway.settle();
    expect(await gateway.call('GET', '/endpoints/orders')).toMatchObject({
      body: { data: { usage: { reads: 1, writes: 0, errors: 0 } } },
    });
  });
});

describe('the schema of an endpoint is refused', () => {
  test('for kinds that have none', async () => {
    const message = 'Endpoints of this kind do not have a schema to tell of';
    const gateway = await startRunning({
      inspect() {
        throw told(Code.Unimplemented, 'NOT_SUPPORTED', message);
      },
    });
    expect(await gateway.call('GET', schema())).toEqual({
      status: 501,
      body: failure('NOT_SUPPORTED', message),
    });
  });

  test('to callers without Read, and for endpoints of others', async () => {
    const gateway = await startRunning(holding());
    const stranger = await startRunning(holding());
    const nobody = await gateway.token(await gateway.addUser('None'));
    expect(await gateway.call('GET', schema(), undefined, nobody)).toEqual({
      status: 403,
      body: failure('FORBIDDEN', 'This operation needs Read access on endpoint orders'),
    });
    const theirs = `/endpoints/${stranger.endpointUuid}/schema`;
    expect(await gateway.call('GET', theirs)).toEqual({
      status: 404,
      body: failure('ENDPOINT_NOT_FOUND', `Endpoint ${stranger.endpointUuid} does not exist`),
    });
  });

  test('with a cursor that is forged, of another organization, endpoint or list', async () => {
    const relay = holding(table('public', 'a'), table('public', 'b'));
    const gateway = await startRunning(relay);
    const stranger = await startRunning(holding(table('public', 'a'), table('public', 'b')));
    await gateway.call('POST', '/endpoints', {
      endpoint: 'other',
      kind: 'postgres',
      config: { write_conn: { url: 'postgresql://u:p@db.test:5432/d' } },
    });
    const cursors = [
      'forged',
      cursorOf(await stranger.call('GET', schema('?limit=1'))),
      cursorOf(await gateway.call('GET', '/endpoints/other/schema?limit=1')),
      cursorOf(await gateway.call('GET', '/endpoints?limit=1')),
    ];
    const asked = relay.asked.length;
    for (const cursor of cursors) {
      expect(await gateway.call('GET', schema(`?cursor=${cursor}`))).toEqual(NOT_OF_THIS_LIST);
    }
    expect(relay.asked).toHaveLength(asked);
  });

  test('with a limit that is none', async () => {
    const gateway = await startRunning(holding());
    expect(await gateway.call('GET', schema('?limit=1001'))).toMatchObject({ status: 400 });
  });
});
