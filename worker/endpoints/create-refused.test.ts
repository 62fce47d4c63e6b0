/** Bodies that make no endpoint. */
import { env } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { kinds } from '../../kinds/index.ts';
import type { ErrorCode } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { failure, startGateway } from '../test/gateway.ts';
import { pingingRelay } from '../test/pinging-relay.ts';

const WRITE = { url: 'postgresql://ann:s3cret@db.test:5432/shop' };
const BODY = { endpoint: 'orders', kind: 'postgres', config: { write_conn: WRITE } };
const NEEDED = 'Connection URL is required';

type Row = [why: string, body: Json, path: string, message: string, code?: ErrorCode];

const limits = (backend_pool_limits: Json): Json => ({ ...BODY, backend_pool_limits });
const config = (members: Json): Json => ({ ...BODY, config: members });

const REFUSED: Row[] = [
  [
    'an unknown member',
    { ...BODY, colour: 'red' },
    'body',
    '"colour" is not known; known are endpoint, kind, config, description, backend_profile, backend_pool_limits',
  ],
  ['a UUID for an id', { ...BODY, endpoint: crypto.randomUUID() }, 'endpoint', 'may not be a UUID'],
  ['a reserved id', { ...BODY, endpoint: 'subjects' }, 'endpoint', 'may not be "subjects"'],
  [
    'no endpoint of that kind',
    { ...BODY, kind: 'oracle' },
    'kind',
    '"oracle" is not known; known are postgres, mysql, mongo, redis, cassandra, clickhouse, pinecone, http',
  ],
  [
    'an unknown profile',
    { ...BODY, backend_profile: 'test' },
    'backend_profile',
    expect.any(String),
  ],
  [
    'a part above the total',
    limits({ total_max_connections: 4, production_max_connections: 5 }),
    'backend_pool_limits.production_max_connections',
    'is more than total_max_connections',
  ],
  [
    'a cap that is no integer',
    limits({ total_max_connections: 1.5 }),
    'backend_pool_limits.total_max_connections',
    expect.any(String),
  ],
  ['no connection', config({}), 'config.write_conn', NEEDED, 'INVALID_CONFIGURATION'],
  [
    'an empty connection',
    config({ write_conn: {} }),
    'config.write_conn',
    NEEDED,
    'INVALID_CONFIGURATION',
  ],
  [
    'a URL and a host',
    config({ write_conn: { ...WRITE, host: 'db.test' } }),
    'config.write_conn',
    '"url" and "host" exclude each other: give one of them',
  ],
  [
    'an empty URL',
    config({ write_conn: { url: '' } }),
    'config.write_conn.url',
    NEEDED,
    'INVALID_CONFIGURATION',
  ],
  [
    'an empty URL next to one that is none',
    config({ write_conn: WRITE, read_conn: { url: '' } }),
    'config.read_conn.url',
    NEEDED,
    'INVALID_CONFIGURATION',
  ],
  [
    'an unknown member of a connection',
    config({ write_conn: { ...WRITE, passwort: 'x' } }),
    'config.write_conn',
    '"passwort" is not known; known are url, auth',
  ],
  [
    'an unknown member of the configuration',
    config({ write_conn: WRITE, db_name: 'x' }),
    'config',
    '"db_name" is not known; known are write_conn, read_conn, development_conn, allow, allow_functions, numbers, once, session, transport, vpn_route',
  ],
  [
    'a port beyond all ports',
    config({ write_conn: { host: 'h', port: 70_000 } }),
    'config.write_conn.port',
    expect.any(String),
  ],
  [
    'a redacted URL',
    config({ write_conn: { url: 'postgresql://***@db.test:5432/shop' } }),
    'config.write_conn.url',
    'is redacted: send the value itself, or leave the member out',
  ],
  [
    'a redacted password',
    config({ write_conn: { host: 'h', auth: { username: 'u', password: '***' } } }),
    'config.write_conn.auth.password',
    'is redacted: send the value itself, or leave the member out',
  ],
];

test.each(REFUSED)('refuses %s, and stores nothing', async (_why, body, path, message, code) => {
  const relay = pingingRelay();
  const gateway = await startGateway('Admin', { relay: relay.methods });
  const reply = await gateway.call('POST', '/endpoints', body);
  const told = failure(code ?? 'BAD_REQUEST', expect.any(String), [{ path, message }]);
  expect(reply).toEqual({ status: 400, body: told });
  expect(JSON.stringify(reply)).not.toContain('s3cret');
  const stored = await env.DB.prepare('SELECT id FROM endpoints WHERE org_uuid = ?')
    .bind(gateway.organization.uuid)
    .all();
  expect([relay.reached, stored.results]).toEqual([[], []]);
});

/** Each kind without a connection, and with an empty one; some have no other way than a URL. */
const LACKING = Object.keys(kinds).flatMap((kind) => {
  const more = kind === 'pinecone' ? { api_key: 'k' } : {};
  const inside = ['http', 'pinecone'].includes(kind) ? '.url' : '';
  return [
    [kind, more, 'config.write_conn'],
    [kind, { ...more, write_conn: {} }, `config.write_conn${inside}`],
  ] as const;
});

test.each(LACKING)(
  'says in words of the specification what %s lacks in %j',
  async (kind, members, path) => {
    const gateway = await startGateway('Admin');
    const body = { endpoint: 'orders', kind, config: members };
    expect(await gateway.call('POST', '/endpoints', body)).toEqual({
      status: 400,
      body: failure('INVALID_CONFIGURATION', NEEDED, [{ path, message: NEEDED }]),
    });
  },
);

test('refuses a configuration that one cell cannot hold', async () => {
  const gateway = await startGateway('Admin');
  const names = Array.from({ length: 1000 }, (_, index) => 'f'.repeat(300) + index);
  const reply = await gateway.call(
    'POST',
    '/endpoints',
    config({ write_conn: WRITE, allow_functions: names }),
  );
  expect(reply).toEqual({
    status: 413,
    body: failure('PAYLOAD_TOO_LARGE', 'The configuration is larger than 262144 characters'),
  });
});
