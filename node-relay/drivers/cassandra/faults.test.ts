/** What callers are told when a real Cassandra fails, stands still or is behind TLS. */
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer, getCACertificates, type Server, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { type CassandraServer, startCassandra } from '../../../test/servers/cassandra-server.ts';
import { after, failureOf } from '../contract.ts';
import { selfSigned } from '../test/certificate.ts';
import { openClient } from '../test/host.ts';
import { type CassandraClient, cassandra } from './index.ts';
import { cql, run } from './test/database.ts';

let folder: string;
let server: CassandraServer;
let write: CassandraClient;
let tls: Server;
const sessions: CassandraClient[] = [];
const defaults = getCACertificates('default');
const { certificate, key } = selfSigned({ dnsName: 'localhost', years: 5 });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-cassandra-'));
  // Writes into that keyspace fail on their replica.
  const properties = { 'cassandra.test.fail_writes_ks': 'failing' };
  server = await startCassandra({ folder: join(folder, 'data'), properties });
  tls = createServer({ cert: certificate, key }, (from) => {
    const to = connect(server.port, '127.0.0.1');
    for (const socket of [from, to]) socket.on('error', () => {});
    from.pipe(to).pipe(from);
  });
  await new Promise<void>((resolve) => tls.listen(0, 'localhost', resolve));
  write = await open(server.url);
  const replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}";
  for (const name of ['failing', 'sound']) {
    await run(write, cql(`CREATE KEYSPACE ${name} WITH replication = ${replication}`), 'write');
    await run(write, cql(`CREATE TABLE ${name}.items (id int PRIMARY KEY)`), 'write');
  }
});
afterAll(async () => {
  setDefaultCACertificates(defaults);
  await Promise.all(sessions.map((session) => session.close()));
  tls.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function open(url: string): Promise<CassandraClient> {
  const session = await openClient(cassandra, { connection: { url }, mode: 'write' });
  sessions.push(session);
  return session;
}

test('a write that a replica failed to keep has an unknown outcome', async () => {
  const failure = await failureOf(
    run(write, cql('INSERT INTO failing.items (id) VALUES (1)'), 'write'),
  );
  expect(failure).toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    details: [{ source: 'cassandra', code: '0x1500' }],
  });
});

test('a server that stands still: reads time out, writes have an unknown outcome, both in time', async () => {
  const insert = cql('INSERT INTO sound.items (id) VALUES (1)');
  const select = cql('SELECT * FROM sound.items');
  await run(write, insert, 'write');
  await run(write, select, 'write');
  const reason = new GatewayError('TIMED_OUT', 'The deadline passed');
  process.kill(server.pid, 'SIGSTOP');
  // Its threads stop one after another.
  await sleep(500);
  try {
    const started = performance.now();
    const late = () => ({ signal: after(1_500, reason) });
    const failures = await Promise.all([
      failureOf(run(write, insert, 'write', late())),
      failureOf(run(write, select, 'write', late())),
    ]);
    // The second call opens a connection, which does not come about.
    expect(failures).toEqual([expect.objectContaining({ code: 'OUTCOME_UNKNOWN' }), reason]);
    expect(performance.now() - started).toBeLessThan(12_000);
  } finally {
    process.kill(server.pid, 'SIGCONT');
  }
  expect((await run(write, select, 'write')).row_count).toBe(1);
});

describe('TLS', () => {
  const at = (host: string) => {
    const { port } = tls.address() as { port: number }; // It listens on a port.
    return `cassandra://cassandra:cassandra@${host}:${port}/sound?tls=true`;
  };

  test('a certificate that nobody vouches for is refused', async () => {
    const session = await open(at('localhost'));
    const failure = await failureOf(run(session, cql('SELECT * FROM items'), 'read'));
    expect(failure).toMatchObject({
      code: 'CONNECTION_FAILED',
      message: "Unable to connect to database: the server's certificate is not trusted",
    });
  });

  test('a trusted certificate is taken for the host that it names alone', async () => {
    setDefaultCACertificates([...defaults, certificate]);
    const session = await open(at('localhost'));
    expect((await run(session, cql('SELECT * FROM items'), 'read')).row_count).toBe(1);
    const other = await open(at('127.0.0.1'));
    const failure = await failureOf(run(other, cql('SELECT * FROM items'), 'read'));
    expect(failure).toMatchObject({
      code: 'CONNECTION_FAILED',
      message: "Unable to connect to database: the server's certificate names another host",
    });
  });

  test('a server without TLS is not spoken to', async () => {
    const session = await open(`${server.url}/sound?tls=true`);
    const failure = await failureOf(run(session, cql('SELECT * FROM items'), 'read'));
    expect(failure).toMatchObject({ code: 'CONNECTION_FAILED' });
  });
});
