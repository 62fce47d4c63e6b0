/** Logs in to a MySQL or MariaDB server: the host's socket, mysql2's handshake, TLS as the connection asks for it. */
import type { Socket } from 'node:net';
import { createConnection } from 'mysql2';
import type { Settings, SslMode } from '../../../kinds/mysql/dialect/settings.ts';
import type { Host } from '../driver.ts';
import { Unreadable } from '../loss.ts';
import { dialled, secured, TlsUnanswered, type Trust } from '../tls-socket.ts';

/** One way to try a connection. */
export type Encryption = Exclude<SslMode, 'PREFERRED'>;

/** What is tried, in this order. Source: MySQL manual, "Command Options for Encrypted Connections". */
export function encryptionsOf({ sslMode }: Settings): readonly Encryption[] {
  return sslMode === 'PREFERRED' ? ['REQUIRED', 'DISABLED'] : [sslMode];
}

/** All that a server may send before it waits for commands, in bytes. Spec silent. */
const LOGIN_MAX_BYTES = 64 * 1024;

/** What the login leaves: a socket on which the server waits for commands. */
export interface LoggedIn {
  readonly socket: Socket;
  /** What KILL QUERY is told. */
  readonly threadId: number;
  /** Columns carry MariaDB's own type names. Source: MariaDB, "Result Set Packets". */
  readonly extendedColumns: boolean;
}

/** Of mysql2's defaults, those that would change what statements mean or read the relay's files. */
const FLAGS = [
  '-LOCAL_FILES',
  '-IGNORE_SPACE',
  '-ODBC',
  '-FOUND_ROWS',
  '-CLIENT_QUERY_ATTRIBUTES',
  'PS_MULTI_RESULTS',
];

/** The parts of mysql2's connection that its types leave out. */
interface Internals {
  stream: Socket;
  readonly packetParser: { execute(chunk: Buffer): void };
  readonly _mariadbExtendedMetadata?: boolean;
  startTLS(onSecure: (error?: Error) => void): void;
}

/**
 * Dials and logs in.
 * @throws GatewayError ADDRESS_REFUSED, CONNECTION_FAILED, the signal's reason, and mysql2's errors
 */
export function logIn(
  host: Host,
  settings: Settings,
  encryption: Encryption,
  signal: AbortSignal,
): Promise<LoggedIn> {
  return dialled(host, settings, signal, (socket) =>
    handshake(socket, settings, encryption).catch((error: unknown) => {
      // The server speaks first; one that waits for a TLS handshake does not.
      const isUngreeted = signal.aborted && socket.bytesRead === 0;
      throw isUngreeted && demandsTls(settings) ? new TlsUnanswered() : error;
    }),
  );
}

function handshake(socket: Socket, settings: Settings, encryption: Encryption): Promise<LoggedIn> {
  const secure = encryption !== 'DISABLED';
  const connection = createConnection({
    // The host's own; without it mysql2 would resolve and dial.
    stream: socket,
    host: settings.host,
    port: settings.port,
    user: settings.user,
    password: settings.password,
    database: settings.database,
    connectTimeout: 0,
    charset: 'UTF8MB4_UNICODE_CI',
    flags: FLAGS,
    // Truthy is all that counts: `startTLS` below does the rest.
    ...(secure ? { ssl: { rejectUnauthorized: false } } : {}),
    enableCleartextPlugin: secure,
    connectAttributes: { program_name: settings.applicationName },
  });
  const internals = connection as unknown as Internals; // See there.
  const { promise, resolve, reject } = Promise.withResolvers<LoggedIn>();
  const listen = listenerOf(internals, (error) => {
    reject(error);
    socket.destroy();
  });
  socket.removeAllListeners('data').on('data', listen);
  internals.startTLS = (onSecure) => {
    socket.removeAllListeners('data');
    secured(socket, settings.host, trustOf(encryption)).then(
      (tls) => {
        tls.on('data', listen);
        internals.stream = tls;
        onSecure();
      },
      (error: unknown) => {
        reject(error);
        // mysql2 changes the error it is told.
        onSecure(new Error('TLS failed', { cause: error }));
      },
    );
  };
  connection.on('error', reject);
  connection.on('end', () => reject(new Error('closed')));
  socket.once('close', () => reject(new Error('closed')));
  connection.once('connect', () => {
    const { stream } = internals;
    // From here on the wire reads it.
    stream.removeAllListeners('data');
    resolve({
      socket: stream,
      threadId: connection.threadId,
      extendedColumns: internals._mariadbExtendedMetadata === true,
    });
  });
  return promise;
}

function demandsTls({ sslMode }: Settings): boolean {
  return sslMode !== 'DISABLED' && sslMode !== 'PREFERRED';
}

/** Hands mysql2 what a login may take, and survives what it cannot read. */
function listenerOf({ packetParser }: Internals, failed: (error: unknown) => void) {
  let bytes = 0;
  return (chunk: Buffer) => {
    bytes += chunk.length;
    try {
      if (bytes > LOGIN_MAX_BYTES) throw new Unreadable('a login without an end');
      packetParser.execute(chunk);
    } catch (error) {
      failed(error instanceof Unreadable ? error : new Unreadable('login', { cause: error }));
    }
  };
}

function trustOf(encryption: Encryption): Trust {
  if (encryption === 'VERIFY_IDENTITY') return 'host';
  return encryption === 'VERIFY_CA' ? 'chain' : 'any';
}

/** Whether the server has no TLS at all. */
export function lacksTls(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'HANDSHAKE_NO_SSL_SUPPORT';
}
