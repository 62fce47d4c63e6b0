/** Servers for tests: each product, TLS, users, a cluster, sentinels. */
import { expect, test } from 'vitest';
import { selfSigned } from '../../node-relay/drivers/test/certificate.ts';
import { startCluster } from './redis/cluster.ts';
import { startSentinels } from './redis/sentinel.ts';
import { onRedis, ownRedis } from './redis-server.ts';

const PASSWORD = 'choose-a-long-one';

test.each([
  ['redis-8', 'redis_version:8.2.3', ['bf', 'ReJSON', 'search', 'timeseries', 'vectorset']],
  ['redis-7', 'redis_version:7.4.1', ['bf', 'ReJSON', 'search', 'timeseries']],
  ['valkey-9', 'valkey_version:9.1.2', []],
] as const)(
  '%s is what it says, with its modules, and asks for its password',
  async (product, version, modules) => {
    const server = await ownRedis({
      product,
      password: PASSWORD,
      users: ['reader on >secret ~* +@read'],
    });
    try {
      const [info, loaded] = await onRedis(server.url, ['INFO', 'server'], ['MODULE', 'LIST']);
      expect(info).toContain(version);
      for (const name of modules) expect(JSON.stringify(loaded)).toContain(`"${name}"`);
      const reader = `redis://reader:secret@127.0.0.1:${server.port}`;
      expect(await onRedis(reader, ['GET', 'k'])).toEqual([null]);
      await expect(onRedis(reader, ['SET', 'k', 'v'])).rejects.toThrow('NOPERM');
      const nobody = `redis://127.0.0.1:${server.port}`;
      await expect(onRedis(nobody, ['GET', 'k'])).rejects.toThrow('NOAUTH');
    } finally {
      await server.stop();
    }
  },
);

test('a server that speaks TLS speaks nothing else', async () => {
  const server = await ownRedis({
    product: 'redis-7',
    tls: selfSigned({ dnsName: 'localhost', years: 1 }),
  });
  try {
    expect(server.url).toBe(`rediss://localhost:${server.port}`);
    const plain = `redis://127.0.0.1:${server.port}`;
    await expect(onRedis(plain, ['PING'])).rejects.toThrow();
  } finally {
    await server.stop();
  }
});

test('a cluster of three serves all slots, each a share', async () => {
  const cluster = await startCluster({ password: PASSWORD });
  try {
    expect(cluster.nodes.length).toBe(3);
    for (const { url } of cluster.nodes) {
      const [info] = await onRedis(url, ['CLUSTER', 'INFO']);
      expect(info).toContain('cluster_slots_ok:16384');
      expect(info).toContain('cluster_size:3');
    }
  } finally {
    await cluster.stop();
  }
});

test('sentinels name the master and know its replica', async () => {
  const { name, master, replica, sentinels, stop } = await startSentinels({ password: PASSWORD });
  try {
    const [found] = await onRedis(sentinels[0]?.url ?? '', [
      'SENTINEL',
      'GET-MASTER-ADDR-BY-NAME',
      name,
    ]);
    expect(found).toEqual(['127.0.0.1', String(master.port)]);
    const [role] = await onRedis(replica.url, ['ROLE']);
    expect(role).toEqual(['slave', '127.0.0.1', master.port, 'connected', expect.any(Number)]);
  } finally {
    await stop();
  }
});
