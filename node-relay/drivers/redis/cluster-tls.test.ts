/** A cluster that speaks TLS alone: every node's certificate has to name the host that the cluster says. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RedisGroup, startCluster } from '../../../test/servers/redis/cluster.ts';
import { failureOf } from '../contract.ts';
import { selfSigned } from '../test/certificate.ts';
import { open, say, words } from './test/server.ts';

const defaults = getCACertificates('default');
const { certificate, key } = selfSigned({ dnsName: 'localhost', years: 5 });
let group: RedisGroup;

beforeAll(async () => {
  setDefaultCACertificates([...defaults, certificate]);
  group = await startCluster({
    product: 'redis-7',
    modules: false,
    tls: { certificate, key },
    settings: {
      'tls-cluster': 'yes',
      'cluster-announce-hostname': 'localhost',
      'cluster-preferred-endpoint-type': 'hostname',
    },
  });
});
afterAll(async () => {
  setDefaultCACertificates(defaults);
  await group?.stop();
});

const keys = Array.from({ length: 20 }, (_, index) => `key:${index}`);

test('goes to every node by the name that the cluster gives it', async () => {
  const server = await open(`rediss+cluster://localhost:${group.nodes[0]?.port}`);
  const sets = keys.map((each) => words('set', each, each));
  expect(await say(server, sets)).toEqual(keys.map(() => 'OK'));
  const link = await server.borrow([Buffer.from('key:3')], AbortSignal.timeout(5_000));
  expect(await say(link, [words('get', 'key:3')], 'read')).toEqual(['key:3']);
  link.release(true);
  await server.close();
});

test('goes to no node without TLS, or under another name', async () => {
  for (const start of ['redis+cluster://localhost', 'rediss+cluster://127.0.0.1']) {
    const server = await open(`${start}:${group.nodes[0]?.port}`);
    const failure = failureOf(say(server, [words('get', 'a')], 'read'));
    expect(await failure).toMatchObject({ code: 'CONNECTION_FAILED' });
    await server.close();
  }
});
