/** TLS to a real server, by each of libpq's modes. */
import { X509Certificate } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settingsOf } from '../../../kinds/postgres/dialect/settings.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { type StartedBackend, startBackend } from '../../../test/servers/backends.ts';
import { after, failureOf } from '../contract.ts';
import { selfSigned } from '../test/certificate.ts';
import { callOf, openClient, testHost } from '../test/host.ts';
import { type PostgresClient, postgres } from './index.ts';
import { openSocket } from './socket.ts';
import { run, sql } from './test/database.ts';

let server: StartedBackend;
let admin: pg.Client;
const defaults = getCACertificates('default');

beforeAll(async () => {
  server = await startBackend('postgres');
  admin = new pg.Client(server.url);
  await admin.connect();
  await useCertificate(5);
});
afterAll(async () => {
  setDefaultCACertificates(defaults);
  await admin.end();
  await server.stop();
});

/** Gives the server a certificate for `localhost`, which this process trusts from now on. */
async function useCertificate(years: number): Promise<void> {
  const { certificate, key } = selfSigned({ dnsName: 'localhost', years });
  for (const [file, text] of [
    ['server.crt', certificate],
    ['server.key', key],
  ]) {
    await admin.query(
      `COPY (SELECT unnest(string_to_array('${text}', E'\\n'))) TO PROGRAM 'umask 077; cat > ${file}'`,
    );
  }
  await admin.query('ALTER SYSTEM SET ssl = on');
  await admin.query('SELECT pg_reload_conf()');
  setDefaultCACertificates([...defaults, certificate]);
  await untilServed(certificate);
}

/** The server reads its configuration between two moments of its own. */
async function untilServed(certificate: string): Promise<void> {
  const wanted = new X509Certificate(certificate).fingerprint256;
  for (let tries = 0; tries < 1_000; tries += 1) {
    if ((await servedFingerprint()) === wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The server does not serve its certificate');
}

async function servedFingerprint(): Promise<string | undefined> {
  const settings = settingsOf({ url: server.url });
  const socket = await openSocket(testHost(), settings, 'offer', AbortSignal.timeout(20_000));
  const served = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  socket.destroy();
  return served?.fingerprint256;
}

function open(sslmode: string, hostname = 'localhost', options = {}): Promise<PostgresClient> {
  const url = new URL(server.url);
  url.hostname = hostname;
  if (sslmode) url.searchParams.set('sslmode', sslmode);
  return openClient(postgres, {
    connection: { url: url.href },
    mode: 'read',
    host: testHost(1),
    ...options,
  });
}

async function encryptionOf(sslmode: string, hostname?: string): Promise<{ ssl?: unknown }> {
  const session = await open(sslmode, hostname);
  try {
    const result = await run(
      session,
      sql('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'),
      'read',
    );
    return { ssl: result.rows[0]?.ssl };
  } catch (error) {
    return { ssl: error };
  } finally {
    await session.close();
  }
}

describe('a server with TLS', () => {
  test.each([
    { sslmode: 'disable', ssl: false },
    { sslmode: 'allow', ssl: false },
    { sslmode: '', ssl: true },
    { sslmode: 'prefer', ssl: true },
    { sslmode: 'require', ssl: true },
    { sslmode: 'verify-ca', ssl: true },
    { sslmode: 'verify-full', ssl: true },
  ])('is reached with sslmode=$sslmode, encrypted: $ssl', async ({ sslmode, ssl }) => {
    expect(await encryptionOf(sslmode)).toEqual({ ssl });
  });

  test('is refused where its certificate names another host, unless only its issuer is checked', async () => {
    expect(await encryptionOf('verify-full', '127.0.0.1')).toMatchObject({
      ssl: {
        code: 'CONNECTION_FAILED',
        message: "Unable to connect to database: the server's certificate names another host",
        details: [],
      },
    });
    expect(await encryptionOf('verify-ca', '127.0.0.1')).toEqual({ ssl: true });
  });

  test('is refused where its certificate is not trusted, unless nothing is checked', async () => {
    setDefaultCACertificates(defaults);
    for (const sslmode of ['verify-ca', 'verify-full']) {
      expect(await encryptionOf(sslmode)).toMatchObject({
        ssl: {
          code: 'CONNECTION_FAILED',
          message: "Unable to connect to database: the server's certificate is not trusted",
        },
      });
    }
    expect(await encryptionOf('require')).toEqual({ ssl: true });
  });

  test('is stopped at the deadline through TLS too', async () => {
    const session = await open('require');
    const reason = new GatewayError('TIMED_OUT', 'The deadline passed');
    const started = performance.now();
    const call = callOf('read', { signal: after(150, reason) });
    expect(await failureOf(session.run(sql('SELECT pg_sleep(20)'), call))).toBe(reason);
    expect(performance.now() - started).toBeLessThan(12_000);
    await session.close();
  });

  test('is refused where its certificate has expired', async () => {
    await useCertificate(-1);
    expect(await encryptionOf('verify-full')).toMatchObject({
      ssl: {
        code: 'CONNECTION_FAILED',
        message: "Unable to connect to database: the server's certificate has expired",
      },
    });
  });
});
