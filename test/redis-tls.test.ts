/** Redis whose certificate is signed by an authority of your own: trusted by the nodes that were told of it, and by no others. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { selfSigned } from '../node-relay/drivers/test/certificate.ts';
import { type Gateway, type OwnGateway, sharedGateway, startGateway } from './gateway.ts';
import { newOrganization, success } from './organization.ts';
import { ownRedis, type RedisServer } from './servers/redis-server.ts';

let server: RedisServer;
let told: OwnGateway;
let folder: string;
beforeAll(async () => {
  const { certificate, key } = selfSigned({ dnsName: 'localhost', years: 5 });
  folder = await mkdtemp(join(tmpdir(), 'causeway-ca-'));
  const file = join(folder, 'ca.pem');
  await writeFile(file, certificate);
  server = await ownRedis({ product: 'redis-7', modules: false, tls: { certificate, key } });
  told = await startGateway({ env: { NODE_EXTRA_CA_CERTS: file } });
});
afterAll(async () => {
  await Promise.all([told?.stop(), server?.stop()]);
  if (folder) await rm(folder, { recursive: true, force: true });
});

async function connect(gateway: Gateway) {
  const organization = await newOrganization(gateway);
  const endpoint = `tls-${randomUUID().slice(0, 8)}`;
  const config = { write_conn: { url: server.url } };
  const made = await organization.call('POST', '/endpoints', { endpoint, kind: 'redis', config });
  return {
    made,
    ping: () => organization.call('POST', `/endpoints/${endpoint}/read`, { type: 'ping' }),
  };
}

test('is reached by nodes whose NODE_EXTRA_CA_CERTS names the authority', async () => {
  const { made, ping } = await connect(told);
  expect(made).toMatchObject({ status: 200 });
  expect(await ping()).toEqual(success({ result: 'PONG' }));
});

test('is refused by all others', async () => {
  const { made } = await connect(await sharedGateway());
  expect(made).toMatchObject({
    status: 502,
    body: {
      code: 'CONNECTION_FAILED',
      message: "Unable to connect to database: the server's certificate is not trusted",
    },
  });
});
