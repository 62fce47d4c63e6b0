/** Outbound-only nodes where networks are as they are: firewalls, proxies, private certificate authorities. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { selfSigned } from '../node-relay/drivers/test/certificate.ts';
import { sharedGateway, startGateway } from './gateway.ts';
import { makeNamespace, type Namespace } from './network-namespace.ts';
import { newOrganization } from './organization.ts';
import { placeOn, startRelayNode } from './relay-node.ts';
import { freshDatabase } from './servers/backends.ts';

const stops: (() => unknown)[] = [];
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

/** Listens on a port until the end of the tests. */
async function port(server: ReturnType<typeof createTcpServer>, host = '127.0.0.1') {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => socket.destroy())));
  server.listen(0, host);
  await once(server, 'listening');
  stops.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port; // It listens on a port.
}

const ONE = { status: 200, body: { data: { rows: [{ n: 1 }] } } };

test('a node dials through an HTTP proxy, to a gateway whose certificate a private authority has signed', async () => {
  const gateway = await sharedGateway();
  const { certificate: cert, key } = selfSigned({ dnsName: 'localhost', years: 1 });
  const folder = await mkdtemp(join(tmpdir(), 'causeway-ca-'));
  stops.push(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'ca.pem'), cert);
  const tls = createTlsServer({ cert, key }, (socket) => {
    const onward = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  const tlsPort = await port(tls);
  const asked: (string | undefined)[] = [];
  const proxy = createServer().on('connect', (incoming, socket: Socket) => {
    asked.push(incoming.url);
    const onward = connect(tlsPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  const HTTPS_PROXY = `http://127.0.0.1:${await port(proxy)}`;
  const NODE_EXTRA_CA_CERTS = join(folder, 'ca.pem');
  const organization = await newOrganization(gateway);
  const endpoint = await organization.addPostgres((await freshDatabase()).url);
  const start = (env: Record<string, string>) =>
    startRelayNode({ call: organization.call, gateway: `https://localhost:${tlsPort}`, env });
  await expect(start({ HTTPS_PROXY })).rejects.toThrow(/certificate|cannot be reached|answer/i);
  const node = await start({ HTTPS_PROXY, NODE_EXTRA_CA_CERTS });
  stops.push(() => node.stop());
  await placeOn(organization.call, endpoint, node.uuid);
  await expect
    .poll(() => node.output.stdout().split('tunnel open').length - 1, { interval: 50 })
    .toBe(2);
  expect(new Set(asked)).toEqual(new Set([`localhost:${tlsPort}`]));
  const read = { query: 'select 1 as n' };
  expect(await organization.call('POST', `/endpoints/${endpoint}/read`, read)).toMatchObject(ONE);
});

const made: Namespace | string = await makeNamespace().catch((thrown: unknown) => String(thrown));
const why = typeof made === 'string' ? made.replaceAll(/\s+/g, ' ') : '';
if (why !== '')
  console.error(`There is no network namespace with a firewall on this machine: ${why}`);

test.skipIf(why !== '' && !process.env.CI)(
  `a node serves from a network whose firewall drops everything inbound${why && ` (left out: ${why})`}`,
  async () => {
    if (typeof made === 'string') throw new Error(why);
    const { outside, inside, under, remove } = made;
    stops.push(remove);
    const gateway = await startGateway({ args: ['--host', outside] });
    stops.push(() => gateway.stop());
    const database = new URL((await freshDatabase()).url);
    const databasePort = Number(database.port);
    const forward = createTcpServer((socket) => {
      const onward = connect(databasePort, '127.0.0.1');
      onward.on('error', () => socket.destroy());
      socket.pipe(onward).pipe(socket);
    });
    database.host = `${outside}:${await port(forward, outside)}`;
    const organization = await newOrganization(gateway);
    const node = await startRelayNode({ call: organization.call, gateway: gateway.url, under });
    stops.push(() => node.stop());
    // The connection is tried over the node.
    const config = { write_conn: { url: database.href }, vpn_route: node.uuid };
    const endpoint = await organization.addPostgres(database.href, { config });
    await placeOn(organization.call, endpoint, node.uuid);
    const read = { query: 'select 1 as n' };
    // A machine that does other things, too, may have the gateway take the node for gone for a moment.
    await expect
      .poll(() => organization.call('POST', `/endpoints/${endpoint}/read`, read))
      .toMatchObject(ONE);
    expect(await reaches(inside, 8788)).toBe('no answer');
  },
);

/** The outcome of a connection within a second: a firewall that drops answers nothing. */
function reaches(host: string, to: number): Promise<string> {
  const socket = connect({ host, port: to, timeout: 1_000 });
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.once('connect', () => resolve('connected'));
  socket.once('timeout', () => resolve('no answer'));
  socket.once('error', (cause: NodeJS.ErrnoException) => resolve(String(cause.code)));
  return promise.finally(() => socket.destroy());
}
