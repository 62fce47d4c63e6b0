/** Sockets to a Cassandra server: dialled by the host, inside TLS where the connection asks for it. */
import { isIP, type Socket } from 'node:net';
import { connect as startTls } from 'node:tls';
import { GatewayError } from '../../../proto/errors.ts';
import type { Host } from '../driver.ts';
import type { Settings } from './settings.ts';

/** Milliseconds of silence after which the kernel asks whether the server is still there. */
const KEEP_ALIVE_MS = 30_000;

/**
 * A connected socket.
 * @throws GatewayError ADDRESS_REFUSED, CONNECTION_FAILED, and the signal's reason
 */
export async function openSocket(
  host: Host,
  settings: Settings,
  signal: AbortSignal,
): Promise<Socket> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(settings.connectTimeoutMs)]);
  try {
    const socket = await host.dial(settings.host, settings.port, limited);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    // Later failures are told by whoever reads the socket next.
    socket.on('error', () => {});
    return settings.tls ? await secured(socket, settings.host, limited) : socket;
  } catch (cause) {
    signal.throwIfAborted();
    if (limited.aborted) throw failed('The server did not answer in time', cause);
    if (cause instanceof GatewayError) throw cause;
    throw failed('The server cannot be reached', cause);
  }
}

async function secured(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const destroy = () => socket.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  try {
    return await handshake(socket, host);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', destroy);
  }
}

function handshake(socket: Socket, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const tls = startTls({
      socket,
      host,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      // What the certificate is worth is judged below, where the words for it are.
      rejectUnauthorized: false,
    });
    const fail = (cause?: unknown) => reject(failed('The TLS handshake failed', cause));
    tls.once('error', fail).once('close', fail);
    tls.once('secureConnect', () => {
      tls.off('error', fail).off('close', fail);
      tls.on('error', () => {});
      if (!tls.authorizationError) return resolve(tls);
      tls.destroy();
      reject(failed(certificateProblem(String(tls.authorizationError)), undefined));
    });
  });
}

function certificateProblem(problem: string): string {
  if (problem.includes('ALTNAME')) return "The server's certificate names another host";
  if (problem.includes('EXPIRED')) return "The server's certificate has expired";
  return "The server's certificate is not trusted";
}

function failed(message: string, cause: unknown): GatewayError {
  return new GatewayError('CONNECTION_FAILED', message, { cause });
}
