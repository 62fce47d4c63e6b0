/** Writes that a backend keeps once, through real sockets and a real database. Spec: transactions.md §7. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway, startGateway } from './gateway.ts';
import { ask, newOrganization, type Organization, refusal } from './organization.ts';
import { killRelay } from './processes.ts';
import { backend, freshDatabase } from './servers/backends.ts';

let organization: Organization;
let outside: pg.Client;
let drop: () => Promise<void>;
let endpoint: string;
let ada: string;

beforeAll(async () => {
  const database = await freshDatabase(await backend('postgres'));
  drop = database.drop;
  outside = new pg.Client(database.url);
  await outside.connect();
  await outside.query(
    'CREATE TABLE orders (id serial PRIMARY KEY, item text CHECK (item <> $$bad$$))',
  );
  organization = await newOrganization(await sharedGateway());
  const config = { write_conn: { url: database.url }, once: {} };
  endpoint = await organization.addPostgres(database.url, { config });
  ada = await organization.member('Write');
});
afterAll(async () => {
  await outside?.end();
  await drop?.();
});

async function send(key: string, body: unknown, path = '/write', token = ada) {
  const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': key };
  return ask(organization.gateway, 'POST', `/endpoints/${endpoint}${path}`, body, headers);
}

function add(item: string) {
  return { query: 'INSERT INTO orders (item) VALUES ($1) RETURNING id', params: [item] };
}

async function countOf(item: string): Promise<number> {
  const { rows } = await outside.query('SELECT count(*)::int AS n FROM orders WHERE item = $1', [
    item,
  ]);
  return rows[0].n;
}

describe('a write with a key', () => {
  test('has one effect, and its repeat the same reply', async () => {
    const first = await send('k1', add('tea'));
    expect(first.status).toBe(200);
    expect(await send('k1', add('tea'))).toEqual(first);
    expect(await countOf('tea')).toBe(1);
    const { rows } = await outside.query('SELECT count(*)::int AS n FROM causeway_once');
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('that is sent many times at once is never held off', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => send('k2', add('rush'))));
    expect(new Set(all.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect([all[0]?.status, await countOf('rush')]).toEqual([200, 1]);
  });

  test('is another one of another caller, operation or endpoint', async () => {
    const bob = await organization.member('Write');
    await send('k3', add('shared'));
    await send('k3', add('shared'), '/write', bob);
    await send('k3', { operations: [add('shared')] }, '/transaction');
    await send('k3', { operations: [add('shared')] }, '/transaction');
    expect(await countOf('shared')).toBe(3);
  });

  test('refuses another body', async () => {
    await send('k4', add('one'));
    expect(await send('k4', add('two'))).toEqual(
      refusal(
        'IDEMPOTENCY_KEY_REUSED',
        'Idempotency-Key: was sent before with another body, take a new one',
      ),
    );
    expect(await countOf('two')).toBe(0);
  });

  test('that failed may be sent again', async () => {
    expect((await send('k5', add('bad'))).status).toBe(409);
    expect((await send('k5', add('good'))).status).toBe(200);
    expect(await countOf('good')).toBe(1);
  });

  test('whose reply is large says so when it is repeated', async () => {
    const body = {
      query: "INSERT INTO orders (item) VALUES ('large') RETURNING repeat('x', 400000) AS x",
    };
    expect((await send('k6', body)).status).toBe(200);
    expect(await send('k6', body)).toEqual(
      refusal(
        'REPLY_NOT_KEPT',
        'The request with this Idempotency-Key took effect, and its reply is larger than 64 KiB: it is not kept',
      ),
    );
    expect(await countOf('large')).toBe(1);
  });

  test('is kept by the database alone: what the gateway keeps knows nothing about it', async () => {
    const first = await send('k7', add('forgotten'));
    await outside.query('DELETE FROM causeway_once');
    const again = await send('k7', add('forgotten'));
    expect([first.status, again.status, await countOf('forgotten')]).toEqual([200, 200, 2]);
  });
});

test('a write with a key whose relay is killed under it has one effect, and its repeat knows', async () => {
  const own = await startGateway();
  try {
    const other = await newOrganization(own);
    const { rows } = await outside.query('SELECT current_database() AS name');
    const url = new URL((await backend('postgres')).url);
    url.pathname = `/${rows[0].name}`;
    const config = { write_conn: { url: url.href }, once: {} };
    const killed = await other.addPostgres(url.href, { config });
    const body = {
      query: 'INSERT INTO orders (item) SELECT $1 FROM pg_sleep(1) RETURNING id',
      params: ['killed'],
    };
    const sent = () =>
      other.call('POST', `/endpoints/${killed}/write`, body, { 'Idempotency-Key': 'k8' });
    const first = sent();
    await expect.poll(asleep).toBe(1);
    await killRelay(own.pid);
    expect([200, 503]).toContain((await first).status);
    await expect.poll(async () => (await sent()).status, { timeout: 30_000 }).toBe(200);
    expect(await sent()).toEqual(await sent());
    expect(await countOf('killed')).toBe(1);
  } finally {
    await own.stop();
  }
});

/** Sessions of the database that sleep. */
async function asleep(): Promise<number> {
  const { rows } = await outside.query(
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
  );
  return rows[0].n;
}

describe('a write with a key to Redis', () => {
  test('has one effect, and its repeat the same reply', async () => {
    const { url } = await backend('redis');
    const key = `once:${organization.id}`;
    const config = { write_conn: { url }, once: { prefix: 'kept' } };
    const body = { endpoint: 'once-redis', kind: 'redis', config };
    expect((await organization.call('POST', '/endpoints', body)).status).toBe(200);
    const sent = (type: string, path = '/write') =>
      ask(
        organization.gateway,
        'POST',
        `/endpoints/once-redis${path}`,
        path === '/write' ? { type, key } : { operations: [{ type, key }] },
        { Authorization: `Bearer ${organization.token}`, 'Idempotency-Key': 'r1' },
      );
    const first = await sent('INCR');
    expect(first).toMatchObject({ status: 200, body: { data: { result: 1 } } });
    expect(await sent('INCR')).toEqual(first);
    expect(await sent('DECR')).toMatchObject({ body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    expect(await sent('INCR', '/transaction')).toMatchObject({ body: { data: [{ result: 2 }] } });
    expect(await sent('INCR', '/transaction')).toMatchObject({ body: { data: [{ result: 2 }] } });
  });
});

describe('config.once', () => {
  test.each([
    ['clickhouse', 'Clickhouse'],
    ['cassandra', 'Cassandra'],
    ['pinecone', 'Pinecone'],
    ['http', 'Http'],
  ])('is not for %s', async (kind, label) => {
    const url = kind === 'cassandra' ? 'cassandra://127.0.0.1/x' : 'https://x.example';
    const key = kind === 'pinecone' ? { api_key: 'x' } : {};
    const config = { write_conn: { url }, once: {}, ...key };
    const body = { endpoint: `once-${kind}`, kind, config };
    const message = `${label} cannot keep the key of a write together with its effect`;
    expect(await organization.call('POST', '/endpoints', body)).toEqual(
      refusal('NOT_SUPPORTED', message, [{ path: 'config.once', message: `is not for ${label}` }]),
    );
  });

  test('is not for a backend that the edge reaches', async () => {
    const config = { write_conn: { url: 'postgres://u:p@x.eu.neon.tech/db' }, once: {} };
    const body = { endpoint: 'once-neon', kind: 'postgres', config };
    expect(await organization.call('POST', '/endpoints', body)).toMatchObject({
      status: 501,
      body: { code: 'NOT_SUPPORTED' },
    });
  });

  test.each([{ table: 'a.b.c' }, { table: '' }, { collection: 'x' }])(
    'refuses %j',
    async (once) => {
      const reply = await organization.call('PATCH', `/endpoints/${endpoint}`, {
        config: { once },
      });
      expect(reply.status).toBe(400);
    },
  );
});
