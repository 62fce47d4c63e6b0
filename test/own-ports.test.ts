/** No endpoint reaches what the gateway itself listens on: every port that the kernel reports, by every kind. Contract §5, "Addresses". */
import { randomUUID } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { existsSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import { type HttpServer, startHttpServer } from './http-kind/server.ts';
import { listeningPorts } from './listeners.ts';
import { newOrganization, type Organization, type Reply } from './organization.ts';

/** How each kind writes a server down, where both edge and relay may be told to reach it. */
const WAYS: Readonly<Record<string, (at: string) => object>> = {
  'http at the edge': (at) => http(at, 'edge'),
  'http by the relay': (at) => http(at, 'relay'),
  'pinecone at the edge': (at) => pinecone(at, 'edge'),
  'pinecone by the relay': (at) => pinecone(at, 'relay'),
  postgres: (at) => ({
    kind: 'postgres',
    config: urlOf(`postgresql://u:p@${at}/d?sslmode=disable`),
  }),
  neon: (at) => onEdge('postgres', { url: `postgresql://u:p@${at}/d?sslmode=disable` }),
  mysql: (at) => ({ kind: 'mysql', config: urlOf(`mysql://u:p@${at}/d`) }),
  planetscale: (at) => onEdge('mysql', { url: `mysql://u:p@${at}/d?ssl-mode=DISABLED` }),
  mongo: (at) => ({ kind: 'mongo', config: urlOf(`mongodb://${at}/d?directConnection=true`) }),
  redis: (at) => ({ kind: 'redis', config: urlOf(`redis://${at}/0`) }),
  upstash: (at) => onEdge('redis', { url: `http://${at}`, auth: 'token' }),
  cassandra: (at) => ({ kind: 'cassandra', config: urlOf(`cassandra://u:p@${at}/k`) }),
  clickhouse: (at) => ({ kind: 'clickhouse', config: urlOf(`clickhouse://u:p@${at}/d`) }),
};

function urlOf(url: string) {
  return { write_conn: { url } };
}
function onEdge(kind: string, connection: object) {
  return { kind, config: { write_conn: connection, transport: 'edge' } };
}
function http(at: string, transport: string) {
  return { kind: 'http', config: { ...urlOf(`http://${at}/`), transport } };
}
function pinecone(at: string, transport: string) {
  return { kind: 'pinecone', config: { ...urlOf(`http://${at}`), api_key: 'key', transport } };
}

/** This machine, by every name and in every spelling. */
async function hostsOfThisMachine(): Promise<string[]> {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const literals = addresses
    .filter(({ address }) => !/^fe80:/i.test(address))
    .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
  const names = [hostname(), 'localhost.localdomain', 'ip6-localhost'];
  const known = await Promise.all(
    names.map((name) =>
      lookup(name).then(
        () => [name],
        () => [],
      ),
    ),
  );
  const spellings = ['127.0.0.1', '127.8.9.10', '127.1', '2130706433', '0x7f.1', '0177.0.0.1'];
  const more = ['localhost', '[::1]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '0.0.0.0', '[::]'];
  return [...new Set([...spellings, ...more, ...literals, ...known.flat()])];
}

const FEW = ['127.0.0.1', 'localhost', '[::1]'];

let gateways: OwnGateway[];
let organizations: Organization[];
let server: HttpServer;
let hosts: string[];

beforeAll(async () => {
  const env = { HTTP_ALLOW_PRIVATE: 'true', RELAY_ALLOW: '*' };
  gateways = await Promise.all([
    startGateway({ env }),
    startGateway({ env, args: ['--host', '0.0.0.0'] }),
  ]);
  organizations = await Promise.all(gateways.map((each) => newOrganization(each)));
  [server, hosts] = await Promise.all([startHttpServer(), hostsOfThisMachine()]);
});
afterAll(() => Promise.all([server?.stop(), ...(gateways ?? []).map((each) => each.stop())]));

function add(organization: Organization | undefined, body: object): Promise<Reply> {
  if (organization === undefined) throw new Error('There is no organization');
  const endpoint = `e-${randomUUID().slice(0, 8)}`;
  return organization.call('POST', '/endpoints', { endpoint, ...body });
}

describe.runIf(existsSync('/proc/net/tcp'))('no endpoint reaches', () => {
  test.each([
    { bound: 'to loopback', nth: 0, least: 4 },
    { bound: 'elsewhere, behind the front', nth: 1, least: 5 },
  ])('a port of a gateway bound $bound', async ({ nth, least }) => {
    const ports = listeningPorts(gateways[nth]?.pid ?? 0);
    // Its own, its relay's, and two of the runtime's; the front has the runtime's socket behind it.
    expect(ports.length).toBeGreaterThanOrEqual(least);
    const tried = ports.flatMap((port) =>
      Object.entries(WAYS).flatMap((way) =>
        // Two kinds alone are told every spelling: all kinds of a program have one gate.
        (way[0].startsWith('http ') ? hosts : FEW).map((host) => ({ at: `${host}:${port}`, way })),
      ),
    );
    const reached: unknown[] = [];
    for (const { at, way } of tried) {
      const [name, bodyOf] = way;
      const { status, body } = await add(organizations[nth], bodyOf(at));
      const { error } = body as { error?: string };
      if (status !== 400 || error !== 'Invalid configuration')
        reached.push({ name, at, status, body });
    }
    expect(reached).toEqual([]);
  });
});

test.each(['edge', 'relay'])('over the %s another port of this machine is reached', async (by) => {
  for (const organization of organizations) {
    expect(await add(organization, http(`127.0.0.1:${server.port}/v1`, by))).toMatchObject({
      status: 200,
    });
  }
});
