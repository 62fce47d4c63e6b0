/** Every socket of the driver, dialled by the relay: of pools, monitors and members that a server names. Contract §5, "Addresses". */
import type { LookupFunction, Socket } from 'node:net';
import { MongoError, MongoNetworkError } from 'mongodb';
import internals, { type ConnectOptions } from 'mongodb/lib/cmap/connect.js';
import type { Host } from '../driver.ts';
import { asFault, GuardedConnection } from './guarded-connection.ts';
import { REPLY_MAX_BYTES } from './reply-fault.ts';
import { answered, securedBy } from './tls-answer.ts';

/** Milliseconds that the driver gives a socket when it names no time. */
const CONNECT_MS = 10_000;

/** Observes what is sent in a session, and on which connection. */
export interface Observer {
  /** What was answered last. */
  readonly reply: Uint8Array | undefined;
  /** Bytes that a reply may have. */
  replyMax: number;
  sent(command: Readonly<Record<string, unknown>>, line: PooledConnection): void;
  /**
   * @param heard whether the server answered at all
   * @param reply the document that it answered, as its bytes, where the driver has not read it
   */
  answered(line: PooledConnection, heard: boolean, reply: Uint8Array | undefined): void;
}

/** One connection of a pool. */
export class PooledConnection {
  /** Commands sent and not answered. */
  busy = 0;
  /** When the last was answered, on the clock of `performance`. */
  usedAt = performance.now();
  readonly #connection: GuardedConnection;

  constructor(connection: GuardedConnection) {
    this.#connection = connection;
  }

  get closed(): boolean {
    return this.#connection.closed;
  }

  /** Ends it while nothing is sent on it. */
  end(): void {
    this.#connection.destroy();
  }

  /** Ends it in the middle of a command. */
  cut(): void {
    this.#connection.cut();
  }
}

/**
 * The sockets of one client. The driver has no option for a given socket, but a module
 * that opens all of them and takes a socket that is there already: its two functions are wrapped,
 * and a client is known by its `lookup`, which passes through every copy of the options.
 */
export class Sockets {
  /** Resolves nothing: were the wrapping lost, no name could be reached. */
  readonly lookup: LookupFunction = (_name, _options, done) =>
    done(new Error('names are resolved by the relay alone'), '');
  /** Connections of the pools. */
  readonly lines = new Set<PooledConnection>();
  /** By session of the driver's. */
  readonly observers = new WeakMap<object, Observer>();
  readonly #host: Host;
  readonly #closing = new AbortController();

  constructor(host: Host) {
    this.#host = host;
    owners.set(this.lookup, this);
  }

  /** Ends what is being dialled. */
  close(): void {
    this.#closing.abort();
  }

  /** @throws MongoNetworkError whose cause is the relay's refusal */
  async dialled({ hostAddress, connectTimeoutMS }: ConnectOptions): Promise<Socket> {
    const { host, port } = hostAddress ?? {};
    if (host === undefined || port === undefined) throw refusal(undefined);
    const limit = AbortSignal.timeout(connectTimeoutMS || CONNECT_MS);
    try {
      const signal = AbortSignal.any([limit, this.#closing.signal]);
      return await this.#host.dial(host, port, signal);
    } catch (cause) {
      throw refusal(cause);
    }
  }

  /** Watches a pool's new connection until it is closed. */
  watch(connection: GuardedConnection, socket: Socket): void {
    const line = new PooledConnection(connection);
    this.lines.add(line);
    socket.once('close', () => this.lines.delete(line));
    const command = connection.command.bind(connection);
    connection.command = async (namespace, content, options, responseType) => {
      const observer = options?.session && this.observers.get(options.session);
      line.busy += 1;
      let reply: Uint8Array | undefined;
      try {
        observer?.sent(content, line);
        connection.replyMax = observer?.replyMax ?? REPLY_MAX_BYTES;
        const answer = await command(namespace, content, options, responseType);
        if (isReply(answer)) reply = answer.toBytes();
        return answer;
      } catch (thrown) {
        throw asNetworkError(thrown);
      } finally {
        line.busy -= 1;
        line.usedAt = performance.now();
        observer?.answered(line, connection.heard, reply);
      }
    };
  }
}

/**
 * A socket that the server ended while a command was written: the driver lets its error pass as it
 * is, and so resumes nothing.
 */
function asNetworkError(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || thrown instanceof MongoError) return thrown;
  const isEnded = 'code' in thrown && (thrown.code === 'EPIPE' || thrown.code === 'ECONNRESET');
  return isEnded ? new MongoNetworkError('The connection was lost', { cause: thrown }) : thrown;
}

/** The driver's view of a reply that it has not read yet. */
function isReply(answer: unknown): answer is { toBytes(): Uint8Array } {
  return typeof answer === 'object' && answer !== null && 'toBytes' in answer;
}

const owners = new WeakMap<object, Sockets>();

/** Clients of others, such as a test's own, have none. */
function ownerOf({ lookup }: ConnectOptions): Sockets | undefined {
  return typeof lookup === 'function' ? owners.get(lookup) : undefined;
}

const { connect, makeSocket, makeConnection } = internals;
internals.connect = async (options) => {
  const owner = ownerOf(options);
  if (owner === undefined) return connect(options);
  const existingSocket = await owner.dialled(options);
  const connection = await answered(options, existingSocket, () =>
    entered({ ...options, existingSocket }),
  );
  // Numbers are of pools; a monitor's is a word.
  if (typeof options.id === 'number') owner.watch(connection, existingSocket);
  return connection;
};
internals.makeConnection = (options, socket) => {
  const connectionType =
    ownerOf(options) === undefined ? options.connectionType : GuardedConnection;
  return makeConnection({ ...options, ...(connectionType ? { connectionType } : {}) }, socket);
};
internals.makeSocket = async (options) => {
  const owner = ownerOf(options);
  if (owner === undefined) return makeSocket(options);
  const existingSocket = await owner.dialled(options);
  const socket = await makeSocket({ ...options, existingSocket });
  if (options.tls) await answered(options, existingSocket, () => securedBy(socket));
  return socket;
};

/** Logs in. The driver passes only errors of its own to the caller, so every other is made one. @throws MongoError */
async function entered(options: ConnectOptions): Promise<GuardedConnection> {
  try {
    const connection = await connect({ ...options, connectionType: GuardedConnection });
    return connection as GuardedConnection; // Of that class.
  } catch (thrown) {
    throw asFault(thrown);
  }
}

/** As the driver knows failures of the network, so that it looks for another member. */
function refusal(cause: unknown): MongoNetworkError {
  return new MongoNetworkError('the socket could not be opened', {
    cause: cause instanceof Error ? cause : new Error('no host'),
  });
}
