/** Servers for the gateway's connections. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { GatewayError } from '../proto/errors.ts';
import type { Config } from './config.ts';

/** A connection of the gateway is kept so many milliseconds, longer than the gateway keeps one. Spec silent. */
const KEEP_ALIVE_MS = 600_000;

/** A server for the gateway's connections, with TLS where the settings say so. */
export function serverFor(config: Pick<Config, 'tls'>, handle: RequestListener): Server {
  const server = plainOrTls(config, handle);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

function plainOrTls({ tls }: Pick<Config, 'tls'>, handle: RequestListener): Server {
  if (tls === undefined) return createServer(handle);
  const { cert, key, clientCa } = tls;
  if (clientCa === undefined) return createTlsServer({ cert, key }, handle);
  return createTlsServer(
    { cert, key, ca: clientCa, requestCert: true, rejectUnauthorized: true },
    handle,
  );
}

/** The port on which it listens from now on. @throws GatewayError INVALID_CONFIGURATION */
export function listen(
  server: Server,
  { port, host }: Pick<Config, 'port' | 'host'>,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', (cause: NodeJS.ErrnoException) => {
    const why =
      cause.code === 'EADDRINUSE'
        ? 'is taken; choose another with --port'
        : 'cannot be listened on; choose others with --port and --host';
    reject(new GatewayError('INVALID_CONFIGURATION', `Port ${port} on ${host} ${why}`, { cause }));
  });
  server.listen(port, host, () => {
    const address = server.address();
    resolve(typeof address === 'object' && address !== null ? address.port : port);
  });
  return promise;
}
