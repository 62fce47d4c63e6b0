/** What callers are told when a relay or a database is lost, and that the gateway comes back by itself. */
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import { newOrganization, type Organization, refusal, success } from './organization.ts';
import { childrenOf, killRelay } from './processes.ts';
import { freshDatabase, type StartedBackend, startBackend } from './servers/backends.ts';

let gateway: OwnGateway;
let server: StartedBackend;
let organization: Organization;
let databaseUrl: string;
let endpoint: string;

beforeAll(async () => {
  [gateway, server] = await Promise.all([startGateway(), startBackend('postgres')]);
  organization = await newOrganization(gateway);
  databaseUrl = (await freshDatabase(server)).url;
  endpoint = await organization.addPostgres(databaseUrl, {
    backend_pool_limits: {
      total_max_connections: 4,
      production_max_connections: 4,
      development_max_connections: 4,
    },
  });
  await write('create table t (n int)');
});

afterAll(async () => {
  await Promise.all([gateway?.stop(), server?.stop()]);
});

const read = (query: string, more: Record<string, unknown> = {}) =>
  organization.call('POST', `/endpoints/${endpoint}/read`, { query, ...more });
const write = (query: string, more: Record<string, unknown> = {}) =>
  organization.call('POST', `/endpoints/${endpoint}/write`, { query, ...more });
const ONE = success({ columns: [{ name: 'n', type: 'integer' }], rows: [{ n: 1 }], row_count: 1 });

describe('a query that runs too long', () => {
  test('is 504, and the server has stopped working on it', async () => {
    expect(await read('select pg_sleep(120)', { timeout_ms: 300 })).toEqual(
      refusal('TIMED_OUT', expect.any(String)),
    );
    await expect.poll(() => backendsBusyWith('select pg_sleep')).toBe(0);
  });

  test('as a stream is stopped when its caller goes away', async () => {
    const leaving = new AbortController();
    const query = "select repeat('x', 1000) as gone, generate_series(1, 100000000) as i";
    const response = await organization.send(
      'POST',
      `/endpoints/${endpoint}/read`,
      { query },
      { signal: leaving.signal, headers: { Accept: 'application/x-ndjson' } },
    );
    await linesOf(response).next();
    expect(await backendsBusyWith('select repeat')).toBe(1);
    leaving.abort();
    await expect.poll(() => backendsBusyWith('select repeat')).toBe(0);
  });
});

describe('a pool of four', () => {
  test('serves two hundred calls at once, over no more than four connections', async () => {
    const calls = Array.from({ length: 200 }, () => read('select 1 as n from pg_sleep(0.01)'));
    const most = watchConnections();
    const replies = await Promise.all(calls);
    expect(replies.filter((each) => JSON.stringify(each) !== JSON.stringify(ONE))).toEqual([]);
    expect(await most()).toBeLessThanOrEqual(4);
  });

  test('serves again after the server dropped its idle connections', async () => {
    await read('select 1 as n');
    await asSuperuser(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    expect(await Promise.all([read('select 1 as n'), read('select 1 as n')])).toEqual([ONE, ONE]);
  });
});

describe('a database that stands still', () => {
  test('times a read out, says of a write that its outcome is unknown, and serves again after', async () => {
    await read('select 1 as n');
    if (server.pid === undefined) throw new Error('The server has no process');
    const pids = [server.pid, ...childrenOf(server.pid).map(({ pid }) => pid)];
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const replies = await Promise.all([
      read('select 1 as n', { timeout_ms: 500 }),
      write('insert into t values (1)', { timeout_ms: 500 }),
    ]).finally(() => {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    });
    expect(replies[0]).toEqual(refusal('TIMED_OUT', expect.any(String)));
    expect([502, 504]).toContain(replies[1]?.status);
    expect(await read('select 1 as n')).toEqual(ONE);
  });
});

describe('a relay', () => {
  test('that dies is started again, and a call in the meantime is told to come back', async () => {
    await killRelay(gateway.pid);
    const during = await organization.send('POST', `/endpoints/${endpoint}/read`, {
      query: 'select 1 as n',
    });
    await during.arrayBuffer();
    expect([200, 503]).toContain(during.status);
    if (during.status === 503) expect(during.headers.get('Retry-After')).toMatch(/^\d+$/);
    await servedAgain();
    // The log comes by another pipe, in its own time.
    const said = () => gateway.output.stdout() + gateway.output.stderr();
    await expect.poll(said).toMatch(/relay.*(again|restart)/i);
  });

  test('that dies in the middle of a stream ends it with a line that says so', async () => {
    const response = await organization.send(
      'POST',
      `/endpoints/${endpoint}/read`,
      { query: "select generate_series(1, 100000000) as i, repeat('x', 100) as t" },
      { headers: { Accept: 'application/x-ndjson' } },
    );
    const lines = linesOf(response);
    expect(JSON.parse((await lines.next()).value ?? '')).toEqual({ i: 1, t: 'x'.repeat(100) });
    await killRelay(gateway.pid);
    let last = '';
    for await (const line of lines) last = line;
    expect(JSON.parse(last)).toEqual({
      $error: {
        error: expect.any(String),
        message: expect.any(String),
        code: expect.stringMatching(/^(NODE_UNAVAILABLE|SERVICE_UNAVAILABLE|CONNECTION_FAILED)$/),
        request_id: expect.any(String),
      },
    });
    await servedAgain();
  });

  test('lost after a write was sent leaves its outcome unknown', async () => {
    const writing = write('insert into t select 2 from pg_sleep(20)');
    await expect.poll(() => backendsBusyWith('insert into t select 2')).toBe(1);
    await killRelay(gateway.pid);
    expect(await writing).toEqual(refusal('OUTCOME_UNKNOWN', expect.any(String)));
    await servedAgain();
  });
});

describe('a database lost after a write was sent', () => {
  let between: Server;
  const sockets = new Set<Socket>();
  afterAll(() => between?.close());

  test('leaves its outcome unknown, and the write is not repeated', async () => {
    const target = new URL(databaseUrl);
    between = createServer((client) => {
      const upstream = dial(Number(target.port), target.hostname);
      sockets.add(client).add(upstream);
      client.pipe(upstream).pipe(client);
      for (const each of [client, upstream]) each.on('error', () => {});
    });
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
    const address = between.address();
    if (typeof address !== 'object' || address === null) throw new Error('does not listen');
    const url = new URL(databaseUrl);
    url.port = String(address.port);
    const cut = await organization.addPostgres(url.href);
    const writing = organization.call('POST', `/endpoints/${cut}/write`, {
      query: 'insert into t select 3 from pg_sleep(5)',
    });
    const busy = () => backendsBusyWith('insert into t select 3');
    await expect.poll(busy).toBe(1);
    for (const socket of sockets) socket.destroy();
    expect(await writing).toEqual(refusal('OUTCOME_UNKNOWN', expect.any(String)));
    // A second one would still run, alongside the first, which has not noticed.
    expect(await busy()).toBeLessThanOrEqual(1);
    await expect.poll(busy).toBe(0);
    const { rows } = await asSuperuser('select count(*)::int as n from t where n = 3');
    expect(rows[0].n).toBeLessThanOrEqual(1);
  });
});

/** Tells the test's own connections from the gateway's. */
const WATCHER = 'watcher';

async function asSuperuser(query: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: WATCHER });
  await client.connect();
  try {
    return await client.query(query);
  } finally {
    await client.end();
  }
}

async function backendsBusyWith(start: string): Promise<number> {
  const { rows } = await asSuperuser(
    `select count(*)::int as n from pg_stat_activity where state = 'active' and query like '${start}%'`,
  );
  return rows[0].n;
}

/** Samples the connections of the gateway; answers the most that were seen. */
function watchConnections(): () => Promise<number> {
  let most = 0;
  let on = true;
  const watching = (async () => {
    while (on) {
      const { rows } = await asSuperuser(
        `select count(*)::int as n from pg_stat_activity
         where datname = current_database() and application_name <> '${WATCHER}'`,
      );
      most = Math.max(most, rows[0].n);
    }
  })();
  return async () => {
    on = false;
    await watching;
    return most;
  };
}

async function servedAgain(): Promise<void> {
  await expect.poll(() => read('select 1 as n')).toEqual(ONE);
}

async function* linesOf(response: Response): AsyncGenerator<string, undefined> {
  if (response.body === null) return;
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
