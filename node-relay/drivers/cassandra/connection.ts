/** One connection to a Cassandra node: the driver's own, on a socket that the host dialled. */
import type { Socket } from 'node:net';
import cassandra from 'cassandra-driver';
import Wire, { type ConnectionOptions, type FrameInfo } from 'cassandra-driver/lib/connection.js';
import requests from 'cassandra-driver/lib/requests.js';
import { GatewayError } from '../../../proto/errors.ts';
import type { Host } from '../driver.ts';
import { enteringFailure, isTold } from './errors.ts';
import type { ProtocolType } from './marshal.ts';
import type { Settings } from './settings.ts';
import { openSocket } from './socket.ts';

/** The newest that the driver speaks, and the oldest with markers that may be left unset: Cassandra 2.2 and later. */
const PROTOCOL = 4;
/** Milliseconds that a server may take to close its side; then the socket is closed all the same. */
const END_MAX_MS = 2_000;
/** Bytes of one answer that are taken in, where a call says nothing else. */
const FRAME_MAX = 64 * 1024 * 1024;

/** What connections of a pool are made from. */
export interface Recipe {
  readonly host: Host;
  readonly settings: Settings;
}

/** A column or marker as the protocol tells it. */
export interface ProtocolColumn {
  readonly name: string;
  readonly type: ProtocolType;
}

/** What the server answers to a statement. */
export interface Answer {
  readonly meta?: { readonly columns: readonly ProtocolColumn[]; readonly pageState?: Buffer };
  /** The rows as they came: cells after each other, each with its length. */
  readonly raw?: Buffer;
  readonly rowCount?: number;
  readonly flags?: { readonly traceId?: object; readonly warnings?: readonly string[] };
}

/** A statement that the server knows by its id. */
export interface Prepared {
  readonly id: Buffer;
  readonly meta: { readonly columns: readonly ProtocolColumn[] };
}

/** The driver's connection without its way to the network: it speaks on the socket that it is given. */
class DialledWire extends Wire {
  /** Bytes of an answer that are taken in. */
  frameMax = FRAME_MAX;
  /** An answer was larger, so the connection was ended. */
  overflowed = false;

  constructor(socket: Socket, options: ConnectionOptions) {
    super('server:0', PROTOCOL, options);
    this.netClient = socket;
    // Values are bytes already.
    this.encoder.encode = (value) => value;
  }

  /** The driver's own would connect a socket by itself. */
  override open(callback: (error?: Error) => void): void {
    this.bindSocketListeners();
    this.startup(callback);
  }

  protected override bindSocketListeners(): void {
    super.bindSocketListeners();
    const { parser } = this;
    const whole = parser.handleFrameBuffers.bind(parser);
    parser.handleFrameBuffers = (frame, item) => {
      if (item.header.bodyLength > this.frameMax && !this.overflowed) {
        this.overflowed = true;
        this.netClient.destroy();
      }
      return !this.overflowed && whole(frame, item);
    };
    // Rows stay bytes until they are written: the driver's own would keep one column of each name.
    parser.parseRows = (frame: FrameInfo, reader) => {
      const { header, meta, flagsInfo: flags } = frame;
      const rowCount = reader.buf.readInt32BE(reader.offset);
      const raw = reader.buf.subarray(reader.offset + 4);
      parser.push({ header, result: { raw, rowCount, meta, flags } });
    };
  }
}

/** One connection. Calls on it run one after another. */
export class Connection {
  /** Called once, when the server or the network has ended it. */
  onLost: (() => void) | undefined;
  /** A call has it. */
  inUse = false;
  /** It has served a call before. */
  reused = false;
  readonly #wire: DialledWire;
  readonly #socket: Socket;
  #lost = false;

  private constructor(wire: DialledWire, socket: Socket) {
    this.#wire = wire;
    this.#socket = socket;
    socket.once('close', () => {
      this.#lost = true;
      this.onLost?.();
    });
    if (socket.destroyed) this.#lost = true;
  }

  /**
   * Connects and enters.
   * @throws GatewayError CONNECTION_FAILED, ADDRESS_REFUSED, and the signal's reason
   */
  static async open({ host, settings }: Recipe, signal: AbortSignal): Promise<Connection> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(settings.connectTimeoutMs)]);
    const socket = await openSocket(host, settings, signal);
    const destroy = () => socket.destroy();
    limited.addEventListener('abort', destroy, { once: true });
    try {
      if (limited.aborted) destroy();
      const wire = new DialledWire(socket, wireOptions(settings));
      await entered(wire, socket);
      const connection = new Connection(wire, socket);
      if (settings.keyspace !== '') {
        await connection.send(new requests.QueryRequest(`USE "${settings.keyspace}"`, null, null));
      }
      return connection;
    } catch (cause) {
      destroy();
      signal.throwIfAborted();
      if (cause instanceof GatewayError) throw cause;
      const message = 'The server did not answer in time';
      if (limited.aborted) throw new GatewayError('CONNECTION_FAILED', message, { cause });
      throw enteringFailure(cause);
    } finally {
      limited.removeEventListener('abort', destroy);
    }
  }

  get lost(): boolean {
    return this.#lost;
  }

  /** The last answer was larger than it might be. */
  get overflowed(): boolean {
    return this.#wire.overflowed;
  }

  /** Bytes that the next answers may have; by default 64 MiB. */
  set frameMax(bytes: number | undefined) {
    this.#wire.frameMax = bytes ?? FRAME_MAX;
  }

  /**
   * Sends one request and waits for its answer.
   * @throws ResponseError of the driver's as the server says, another error where the connection was lost
   */
  send(request: object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#lost) return reject(new Error('The connection is closed'));
      const lost = () => reject(new Error('The connection was lost'));
      this.#socket.once('close', lost);
      this.#wire.sendStream(request, null, (error, response) => {
        this.#socket.off('close', lost);
        if (error) {
          // The socket says so a little later.
          if (!isTold(error)) this.interrupt();
          reject(error);
        } else resolve(response as Answer); // The driver answers nothing else to statements.
      });
    });
  }

  /** Has the server read a statement. */
  async prepare(query: string): Promise<Prepared> {
    const answer = await this.send(new requests.PrepareRequest(query, undefined));
    return answer as unknown as Prepared; // To PREPARE the answer has an id.
  }

  /** Ends it at once, with what runs on it: the server does not stop what it has begun. */
  interrupt(): void {
    this.#lost = true;
    this.#socket.destroy();
  }

  /** Answers when the server has let go of it. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.closed) return resolve();
      this.#socket.once('close', () => resolve());
      if (this.#lost) this.#socket.destroy();
      else this.#wire.close();
    });
  }
}

/** The driver forgets who waits when a socket closes before it has entered. */
function entered(wire: DialledWire, socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = () => reject(new Error('The server closed the connection'));
    socket.once('close', closed);
    if (socket.destroyed) return closed();
    wire.open((error) => {
      socket.off('close', closed);
      if (error) reject(error);
      else resolve();
    });
  });
}

function wireOptions({ user, password, application }: Settings): ConnectionOptions {
  return {
    // Deadlines are the caller's; nothing is said on an idle connection.
    socketOptions: { coalescingThreshold: 65_536, connectTimeout: END_MAX_MS, readTimeout: 0 },
    pooling: { heartBeatInterval: 0 },
    protocolOptions: { noCompact: false },
    metrics: { onConnectionError: () => {}, onAuthenticationError: () => {} },
    authProvider:
      user === '' ? undefined : new cassandra.auth.PlainTextAuthProvider(user, password),
    applicationName: application,
    logEmitter: () => {},
  };
}
