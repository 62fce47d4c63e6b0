/** A gateway here and its default relay there: plain, by TLS, and by mutual TLS. Contract §11. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createSecureServer, connect as http2 } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { importJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../node-relay/drivers/test/certificate.ts';
import { RelayService } from '../proto/gen/relay/v1/relay_pb.ts';
import { nodeUuid } from '../proto/node-id.ts';
import { publicHalf } from '../server/key-pairs.ts';
import { dataFolder, type OwnGateway, runStart, startGateway } from './gateway.ts';
import { newOrganization, success } from './organization.ts';
import { childrenOf } from './processes.ts';
import { newRelayKeys, type RelayAlone, startRelayAlone } from './relay-alone.ts';
import { backend } from './servers/backends.ts';

let folder: string;
/** Paths of PEM files. */
let files: Readonly<Record<'cert' | 'key' | 'clientCert' | 'clientKey', string>>;
let tls: Readonly<Record<string, string>>;
const ended: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-tls-'));
  const relay = selfSigned({ dnsName: 'localhost', years: 1 });
  const gateway = selfSigned({ dnsName: 'gateway.example', years: 1 });
  const write = async (name: string, text: string) => {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  files = {
    cert: await write('relay.pem', relay.certificate),
    key: await write('relay.key', relay.key),
    clientCert: await write('gateway.pem', gateway.certificate),
    clientKey: await write('gateway.key', gateway.key),
  };
  tls = { RELAY_TLS_CERT: files.cert, RELAY_TLS_KEY: files.key };
});
afterAll(async () => {
  for (const stop of ended.toReversed()) await stop();
  await rm(folder, { recursive: true });
});

async function relayAlone(env: Readonly<Record<string, string>> = {}): Promise<RelayAlone> {
  const relay = await startRelayAlone(env);
  ended.push(() => relay.stop());
  return relay;
}

async function gatewayOf(
  relay: RelayAlone,
  url: string,
  env: Readonly<Record<string, string>> = {},
): Promise<OwnGateway> {
  const gateway = await startGateway({ env: { ...relay.gateway, RELAY_URL: url, ...env } });
  ended.push(() => gateway.stop());
  return gateway;
}

/** Reads one row of a real database through the gateway. */
async function read(gateway: OwnGateway) {
  const organization = await newOrganization(gateway);
  const { url } = await backend('postgres');
  const made = await organization.call('POST', '/endpoints', {
    endpoint: 'pg',
    kind: 'postgres',
    config: { write_conn: { url } },
  });
  if (made.status !== 200) return made;
  return organization.call('POST', '/endpoints/pg/read', { query: 'SELECT 1 AS one' });
}

const ONE = success({
  columns: [{ name: 'one', type: 'integer' }],
  rows: [{ one: 1 }],
  row_count: 1,
});

describe('a relay without TLS', () => {
  test('serves a gateway, which starts no relay of its own', async () => {
    const relay = await relayAlone();
    const gateway = await gatewayOf(relay, `http://127.0.0.1:${relay.port}`, { RELAY_PARTS: '3' });
    expect(await read(gateway)).toEqual(ONE);
    const programs = childrenOf(gateway.pid).map(({ command }) => command);
    expect(programs.filter((command) => command.includes('node-relay'))).toEqual([]);
    expect(gateway.output.stderr()).toContain(
      'RELAY_URL is set, so no relay runs here: RELAY_PARTS, RELAY_STAND_INS have no effect.',
    );
    const key = publicHalf('GATEWAY_KEY', relay.gateway.GATEWAY_KEY);
    expect(gateway.output.stdout()).toContain(`The relay's GATEWAY_PUBLIC_KEY: ${key}`);
  });
});

describe('a relay with TLS', () => {
  let relay: RelayAlone;
  beforeAll(async () => {
    relay = await relayAlone(tls);
  });

  test('serves a gateway that trusts its authority', async () => {
    const gateway = await gatewayOf(relay, `https://localhost:${relay.port}`, {
      RELAY_CA: files.cert,
    });
    expect(await read(gateway)).toEqual(ONE);
  });

  test('serves no gateway that does not', async () => {
    const gateway = await gatewayOf(relay, `https://localhost:${relay.port}`);
    expect(await read(gateway)).toMatchObject({ status: 503, body: { code: 'NODE_UNAVAILABLE' } });
  });

  test('serves HTTP/2, too', async () => {
    const { GATEWAY_KEY, RELAY_NODE_PUBLIC_KEY } = relay.gateway;
    const transport = createConnectTransport({
      baseUrl: `https://localhost:${relay.port}`,
      httpVersion: '2',
      nodeOptions: { ca: await readFile(files.cert) },
    });
    const token = await new SignJWT({ iat: Date.now() / 1000, exp: Date.now() / 1000 + 60 })
      .setProtectedHeader({ alg: 'EdDSA' })
      .setAudience(await nodeUuid(JSON.parse(RELAY_NODE_PUBLIC_KEY)))
      .sign(await importJWK(JSON.parse(GATEWAY_KEY), 'EdDSA'));
    const headers = { Authorization: `Bearer ${token}` };
    const status = await createClient(RelayService, transport).status({}, { headers });
    expect(status).toMatchObject({ draining: false });
  });
});

describe('a relay that asks for a certificate', () => {
  let relay: RelayAlone;
  beforeAll(async () => {
    relay = await relayAlone({ ...tls, RELAY_TLS_CLIENT_CA: files.clientCert });
  });

  test('serves a gateway that shows one', async () => {
    const gateway = await gatewayOf(relay, `https://localhost:${relay.port}`, {
      RELAY_CA: files.cert,
      RELAY_CLIENT_CERT: files.clientCert,
      RELAY_CLIENT_KEY: files.clientKey,
    });
    expect(await read(gateway)).toEqual(ONE);
  });

  test('serves no gateway that shows none', async () => {
    const gateway = await gatewayOf(relay, `https://localhost:${relay.port}`, {
      RELAY_CA: files.cert,
    });
    expect(await read(gateway)).toMatchObject({ status: 503, body: { code: 'NODE_UNAVAILABLE' } });
  });
});

test('the local runtime speaks HTTP/1.1 to a relay that offers HTTP/2', async () => {
  const [certificate, key] = [await readFile(files.cert), await readFile(files.key)];
  const spoken: string[] = [];
  const server = createSecureServer({ cert: certificate, key, allowHTTP1: true });
  server.on('request', ({ httpVersion }, response) => {
    spoken.push(httpVersion);
    response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port.
  const keys = await newRelayKeys();
  const gateway = await startGateway({
    env: {
      GATEWAY_KEY: keys.GATEWAY_KEY,
      RELAY_NODE_PUBLIC_KEY: publicHalf('RELAY_NODE_KEY', keys.RELAY_NODE_KEY),
      RELAY_URL: `https://localhost:${port}`,
      RELAY_CA: files.cert,
    },
  });
  ended.push(() => gateway.stop());
  await read(gateway);
  expect(new Set(spoken)).toEqual(new Set(['1.1']));
  const client = http2(`https://localhost:${port}`, { ca: certificate });
  await new Promise((resolve) => client.once('connect', resolve));
  expect(client.alpnProtocol).toBe('h2');
  client.close();
  server.close();
});

describe('settings that do not fit together', () => {
  const key = JSON.stringify({ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' });
  const url = 'https://relay.example.com';
  test.each([
    [
      { RELAY_URL: url },
      'RELAY_URL needs RELAY_NODE_PUBLIC_KEY, the public half of the RELAY_NODE_KEY of that relay.',
    ],
    [
      { RELAY_NODE_PUBLIC_KEY: key },
      'RELAY_NODE_PUBLIC_KEY is of a relay that runs elsewhere: RELAY_URL must say where.',
    ],
    [
      { RELAY_CA: '/etc/ca.pem' },
      'RELAY_CA is of a relay that runs elsewhere: RELAY_URL must say where.',
    ],
    [
      { RELAY_URL: 'relay:1', RELAY_NODE_PUBLIC_KEY: key },
      'RELAY_URL takes an http or https URL without credentials, query and fragment, such as https://relay.example.com:8788.',
    ],
    [
      { RELAY_URL: url, RELAY_NODE_PUBLIC_KEY: '{"kty":"EC"}' },
      'RELAY_NODE_PUBLIC_KEY is not a public JWK, EC P-256; see --help.',
    ],
    [
      { RELAY_URL: url, RELAY_NODE_PUBLIC_KEY: key, RELAY_CLIENT_CERT: 'CERT' },
      'RELAY_CLIENT_CERT and RELAY_CLIENT_KEY are needed together.',
    ],
    [
      {
        RELAY_URL: url,
        RELAY_NODE_PUBLIC_KEY: key,
        RELAY_CLIENT_CERT: 'CERT',
        RELAY_CLIENT_KEY: 'OTHER',
      },
      'RELAY_CLIENT_CERT and RELAY_CLIENT_KEY are no certificate and its key in PEM form.',
    ],
    [
      { RELAY_URL: url, RELAY_NODE_PUBLIC_KEY: key, RELAY_CA: 'KEY' },
      'RELAY_CA holds no certificate in PEM form.',
    ],
    [
      { RELAY_URL: 'http://10.0.0.1', RELAY_NODE_PUBLIC_KEY: key, RELAY_CA: 'CERT' },
      'RELAY_CA needs a RELAY_URL that begins with https:.',
    ],
    [
      { RELAY_URL: url, RELAY_NODE_PUBLIC_KEY: key, RELAY_CA: '/nowhere' },
      'RELAY_CA: the file /nowhere cannot be read.',
    ],
    [
      { RELAY_URL: url, RELAY_NODE_PUBLIC_KEY: key, DEMO: 'true' },
      '--demo needs a relay on this machine; leave RELAY_URL out.',
    ],
  ])('are refused in one sentence: %j', async (given, sentence) => {
    const paths: Record<string, string> = {
      CERT: files.clientCert,
      OTHER: files.key,
      KEY: files.key,
    };
    const env = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, paths[value] ?? value]),
    );
    const data = await dataFolder();
    const run = runStart(['--port=0', '--relay-port=0', '--data', data], { env });
    expect(await run.ended).toEqual({ code: 1, signal: null });
    expect(run.output.stderr()).toBe(`${sentence}\n`);
    await rm(data, { recursive: true });
  });
});
