/** TLS on the sockets that the relay dials: whose certificate is taken, and what is said when none is. */
import { connect } from 'node:net';
import { createServer, getCACertificates, type Server, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { type Certificate, selfSigned } from '../test/certificate.ts';
import { callOf, jsonOf, openClient } from '../test/host.ts';
import { mongo } from './index.ts';
import { request, TestDatabase } from './test/database.ts';

const defaults = getCACertificates('default');
let database: TestDatabase;
/** Before the real server, which has no certificate: ends TLS and passes the rest on. */
let front: Server;

/** A front with a certificate for `localhost`; answers the URL that leads there. */
async function frontOf({ certificate, key }: Certificate): Promise<string> {
  const target = new URL(database.url);
  front = createServer({ cert: certificate, key }, (client) => {
    const server = connect(Number(target.port), target.hostname);
    for (const socket of [client, server]) socket.on('error', () => {});
    client.on('close', () => server.destroy());
    client.pipe(server).pipe(client);
  });
  front.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const address = front.address();
  if (address === null || typeof address === 'string') throw new Error('The front got no port');
  const url = new URL(target);
  url.host = `localhost:${address.port}`;
  return url.href;
}

async function pinged(url: string, options: string): Promise<unknown> {
  const session = await openClient(mongo, {
    connection: { url: `${url}&${options}` },
    mode: 'read',
  });
  try {
    return jsonOf(await session.run(request({ type: 'ping' }), callOf('read')));
  } finally {
    await session.close();
  }
}

beforeAll(async () => {
  database = await TestDatabase.create();
});
afterAll(async () => {
  setDefaultCACertificates(defaults);
  front?.close();
  await database.drop();
});

describe('a certificate', () => {
  let url: string;

  beforeAll(async () => {
    const own = selfSigned({ dnsName: 'localhost', years: 5 });
    url = await frontOf(own);
    setDefaultCACertificates([...defaults, own.certificate]);
  });

  test('that is trusted and names the host is taken', async () => {
    expect(await pinged(url, 'tls=true')).toEqual({ value: null });
  });

  test.each([
    ['that names another host', () => url.replace('localhost', '127.0.0.1'), 'tls=true', []],
    ['that is not trusted', () => url, 'tls=true', defaults],
  ])('%s is refused, and no address is told', async (_, at, options, trusted) => {
    if (trusted.length > 0) setDefaultCACertificates(trusted);
    const failure = await failureOf(pinged(at(), options));
    expect(failure).toMatchObject({
      code: 'CONNECTION_FAILED',
      message:
        'Unable to connect to database: TLS failed: the certificate or protocol is not accepted',
      details: [],
    });
  });

  test('is not looked at where the URL says so', async () => {
    expect(await pinged(url, 'tls=true&tlsAllowInvalidCertificates=true')).toEqual({ value: null });
  });

  test('is asked for: without TLS nothing is said to a server that has it', async () => {
    expect(await failureOf(pinged(url, 'tls=false'))).toMatchObject({ code: 'CONNECTION_FAILED' });
  });
});
