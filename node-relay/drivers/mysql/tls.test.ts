/** TLS to a real server, by each mode of MySQL's clients, and logins that are not let in. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { type MariadbServer, startMariadb } from '../../../test/servers/mariadb-server.ts';
import { after, failureOf } from '../contract.ts';
import { selfSigned } from '../test/certificate.ts';
import { callOf, openClient, testHost } from '../test/host.ts';
import { mysql } from './index.ts';
import { run, sql } from './test/database.ts';

let server: MariadbServer;
let folder: string;
const defaults = getCACertificates('default');
const good = selfSigned({ dnsName: 'localhost', years: 5 });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-mariadb-tls-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await writeFile(cert, good.certificate);
  await writeFile(key, good.key, { mode: 0o600 });
  server = await startMariadb({
    folder: join(folder, 'server'),
    password: 'choose-a-long-one',
    settings: { 'ssl-cert': cert, 'ssl-key': key },
  });
  setDefaultCACertificates([...defaults, good.certificate]);
});
afterAll(async () => {
  setDefaultCACertificates(defaults);
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

function open(mode: string, hostname = 'localhost', change = (_: URL) => {}) {
  const url = new URL(server.url);
  url.hostname = hostname;
  if (mode) url.searchParams.set('ssl-mode', mode);
  change(url);
  return openClient(mysql, { connection: { url: url.href }, mode: 'write', host: testHost(1) });
}

async function cipherOf(mode: string, hostname?: string): Promise<unknown> {
  const session = await open(mode, hostname);
  try {
    const { rows } = await run(session, sql("SHOW STATUS LIKE 'Ssl_cipher'"), 'write');
    return rows[0]?.Value !== '';
  } catch (error) {
    return error;
  } finally {
    await session.close();
  }
}

describe('a server with TLS', () => {
  test.each([
    ['DISABLED', false],
    ['', true],
    ['PREFERRED', true],
    ['REQUIRED', true],
    ['VERIFY_CA', true],
    ['VERIFY_IDENTITY', true],
    ['verify-full', true],
  ])('is reached with ssl-mode=%s, encrypted: %s', async (mode, encrypted) => {
    expect(await cipherOf(mode)).toBe(encrypted);
  });

  test('is refused where its certificate names another host, unless only its issuer is checked', async () => {
    expect(await cipherOf('VERIFY_IDENTITY', '127.0.0.1')).toMatchObject({
      code: 'CONNECTION_FAILED',
      message: "Unable to connect to database: the server's certificate names another host",
      details: [],
    });
    expect(await cipherOf('VERIFY_CA', '127.0.0.1')).toBe(true);
  });

  test('is refused where its certificate is not trusted, unless nothing is checked', async () => {
    setDefaultCACertificates(defaults);
    for (const mode of ['VERIFY_CA', 'VERIFY_IDENTITY']) {
      expect(await cipherOf(mode)).toMatchObject({
        code: 'CONNECTION_FAILED',
        message: "Unable to connect to database: the server's certificate is not trusted",
      });
    }
    expect(await cipherOf('REQUIRED')).toBe(true);
    setDefaultCACertificates([...defaults, good.certificate]);
  });

  test('is stopped at the deadline through TLS too', async () => {
    const session = await open('REQUIRED');
    const reason = new GatewayError('TIMED_OUT', 'The deadline passed');
    const started = performance.now();
    const call = callOf('write', { signal: after(300, reason) });
    expect(await failureOf(session.run(sql('SELECT sleep(20)'), call))).toBe(reason);
    expect(performance.now() - started).toBeLessThan(12_000);
    await session.close();
  });
});

describe('a login', () => {
  test.each([
    [
      'no such database',
      (url: URL) => (url.pathname = '/missing'),
      'Unable to connect to database: the database does not exist',
    ],
    [
      'a wrong password',
      (url: URL) => (url.password = 'x'),
      'Unable to connect to database: password authentication failed',
    ],
  ])('that fails says why: %s', async (_, change, message) => {
    const session = await open('', 'localhost', change);
    const failure = await failureOf(session.run(sql('SELECT 1'), callOf('write')));
    expect(failure).toMatchObject({ code: 'CONNECTION_FAILED', message, details: [] });
    await session.close();
  });

  test('that demands TLS of a user is only let in with it', async () => {
    const admin = await open('');
    const grant = "GRANT ALL ON *.* TO tlsonly@127.0.0.1 IDENTIFIED BY 'secret' REQUIRE SSL";
    await run(admin, sql(grant), 'write');
    await admin.close();
    const asUser = (url: URL) => Object.assign(url, { username: 'tlsonly', password: 'secret' });
    const plain = await open('DISABLED', '127.0.0.1', asUser);
    const failure = await failureOf(plain.run(sql('SELECT 1'), callOf('write')));
    expect(failure).toMatchObject({ code: 'CONNECTION_FAILED' });
    const secure = await open('', '127.0.0.1', asUser);
    expect((await run(secure, sql('SELECT 1 AS a'), 'write')).rows).toEqual([{ a: 1 }]);
    await Promise.all([plain.close(), secure.close()]);
  });
});
