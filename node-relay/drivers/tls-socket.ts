/** Sockets to a server: dialled by the host, and inside TLS as far as the connection asks for it. */
import { isIP, type Socket } from 'node:net';
import { connect as startTls } from 'node:tls';
import { GatewayError } from '../../proto/errors.ts';
import { connectWithin } from './connect.ts';
import type { Host } from './driver.ts';
import { byTurns } from './socket-turns.ts';

/** Milliseconds of silence after which the kernel asks whether the server is still there. */
const KEEP_ALIVE_MS = 30_000;

/** Milliseconds that a TLS handshake may take; its caller's own limit is longer. Spec silent. */
export const HANDSHAKE_MS = 5_000;

const HANDSHAKE_FAILED = 'The TLS handshake failed';

/** TLS could not be had; where it is only preferred, plain text is tried next. */
export class TlsFailed extends GatewayError {}

/** The time was up before the server had answered what asks for TLS. */
export class TlsUnanswered extends TlsFailed {
  constructor() {
    super(
      'CONNECTION_FAILED',
      'The server did not answer the TLS handshake in time: it may not speak TLS on this port',
    );
  }
}

/** The socket was closed during what asks for TLS, by the server or because the time was up. */
export class TlsCutOff extends TlsFailed {}

/** What a server's certificate must be: anything, trusted, or trusted and in the name of the host. */
export type Trust = 'any' | 'chain' | 'host';

/**
 * A connected socket for `use`, which ends when that fails or the signal aborts meanwhile.
 * @throws GatewayError ADDRESS_REFUSED, CONNECTION_FAILED, the signal's reason, and what `use` throws
 */
export async function dialled<Value>(
  host: Host,
  server: { readonly host: string; readonly port: number },
  signal: AbortSignal,
  use: (socket: Socket) => Promise<Value>,
): Promise<Value> {
  const socket = await host.dial(server.host, server.port, signal);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  // Later failures are reported by the socket's next reader.
  socket.on('error', () => {});
  const destroy = () => socket.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  try {
    return await use(socket);
  } catch (error) {
    socket.destroy();
    if (!signal.aborted || error instanceof TlsUnanswered) throw error;
    throw error instanceof TlsCutOff ? new TlsUnanswered() : signal.reason;
  } finally {
    signal.removeEventListener('abort', destroy);
  }
}

/**
 * A connected socket within a time, with `tls` to a server with a trusted certificate of its name.
 * @param protocols as in `secured`
 * @throws GatewayError ADDRESS_REFUSED, CONNECTION_FAILED, and the signal's reason
 */
export function openSocket(
  host: Host,
  server: {
    readonly host: string;
    readonly port: number;
    readonly tls: boolean;
    /** Milliseconds. */
    readonly connectTimeoutMs: number;
  },
  signal: AbortSignal,
  protocols?: string[],
): Promise<Socket> {
  const open = (limited: AbortSignal) =>
    dialled(host, server, limited, async (socket) =>
      server.tls ? secured(socket, server.host, 'host', protocols) : socket,
    );
  return connectWithin(server.connectTimeoutMs, signal, open, unreachable);
}

function unreachable(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  return new GatewayError('CONNECTION_FAILED', 'The server cannot be reached', { cause });
}

/**
 * TLS on a socket.
 * @param protocols what is offered to be spoken inside, by its names of ALPN
 * @throws TlsFailed
 */
export function secured(
  socket: Socket,
  host: string,
  trust: Trust,
  protocols?: string[],
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const tls = startTls({
      socket,
      host,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(protocols ? { ALPNProtocols: protocols } : {}),
      // What the certificate is worth is judged below, where the words for it are.
      rejectUnauthorized: false,
      ...(trust === 'host' ? {} : { checkServerIdentity: () => undefined }),
    });
    const settle = () => {
      clearTimeout(timer);
      tls.off('error', failed).off('close', cutOff);
    };
    const refuse = (failure: TlsFailed) => {
      settle();
      // What follows has no other listener.
      tls.on('error', () => {}).destroy();
      reject(failure);
    };
    const failed = (cause: unknown) =>
      refuse(new TlsFailed('CONNECTION_FAILED', HANDSHAKE_FAILED, { cause }));
    const cutOff = () => refuse(new TlsCutOff('CONNECTION_FAILED', HANDSHAKE_FAILED));
    const timer = setTimeout(() => refuse(new TlsUnanswered()), HANDSHAKE_MS);
    tls.once('error', failed).once('close', cutOff);
    tls.once('secureConnect', () => {
      settle();
      // As of the socket below it.
      tls.on('error', () => {});
      const problem = trust === 'any' ? null : tls.authorizationError;
      if (!problem) return resolve(byTurns(tls));
      tls.destroy();
      reject(new TlsFailed('CONNECTION_FAILED', certificateProblem(String(problem))));
    });
  });
}

function certificateProblem(problem: string): string {
  if (problem.includes('ALTNAME')) return "The server's certificate names another host";
  if (problem.includes('EXPIRED')) return "The server's certificate has expired";
  return "The server's certificate is not trusted";
}
