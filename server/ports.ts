/** Finds ports to listen on. */
import { createSocket } from 'node:dgram';
import { connect, createServer, isIPv6 } from 'node:net';
import { Failure, systemCode } from './failure.ts';

/** Milliseconds after which an address of this machine that says nothing counts as free. */
const SILENT_MS = 1_000;

/**
 * The port itself when it is free on that host, or any free one for 0. Who listens on a given port
 * for a moment alone loses what clients send to it in that moment, so it is only asked for.
 * @throws Failure naming `flag` when the port is taken or the host is not this machine's
 */
export async function freePort(host: string, port = 0, flag = '--port'): Promise<number> {
  try {
    if (port === 0) return await anyPort(host);
    await bindable(host, port);
  } catch (thrown) {
    throw new Failure(portRefusal(systemCode(thrown), host, port, flag), { cause: thrown });
  }
  if (await isTaken(host, port)) throw new Failure(portRefusal('EADDRINUSE', host, port, flag));
  return port;
}

/** Why a port cannot be listened on, in a sentence that names `flag`. */
function portRefusal(
  code: string | undefined,
  host: string,
  port: number,
  flag = '--port',
): string {
  if (code === 'EADDRINUSE') return `Port ${port} is taken; choose another with ${flag}.`;
  if (code === 'EACCES')
    return `Port ${port} needs rights that you do not have; choose another with ${flag}.`;
  return `${host} is not an address that this machine can listen on; choose another with --host.`;
}

async function anyPort(host: string): Promise<number> {
  const server = createServer();
  try {
    return await new Promise<number>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port: 0, exclusive: true }, () => {
        const address = server.address();
        if (address !== null && typeof address === 'object') resolve(address.port);
      });
    });
  } finally {
    server.close();
  }
}

/** By a datagram socket, to which nothing connects: address and rights are checked the same way. */
async function bindable(host: string, port: number): Promise<void> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ address: host, port, exclusive: true }, resolve);
    });
  } catch (thrown) {
    // That is another service's, of datagrams.
    if (systemCode(thrown) !== 'EADDRINUSE') throw thrown;
  } finally {
    socket.close();
  }
}

function isTaken(host: string, port: number): Promise<boolean> {
  const anywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const connection = connect({ host: anywhere[host] ?? host, port, timeout: SILENT_MS });
  return new Promise<boolean>((resolve) => {
    connection.once('connect', () => resolve(true));
    connection.once('timeout', () => resolve(false)).once('error', () => resolve(false));
  }).finally(() => connection.destroy());
}
