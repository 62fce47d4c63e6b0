/** One connection to a Cassandra node: messages as the driver writes them, on a socket that the host dialled. */
import type { Socket } from 'node:net';
import requests, { type Encoder, type Request } from 'cassandra-driver/lib/requests.js';
import { GatewayError } from '../../../proto/errors.ts';
import type { Host } from '../driver.ts';
import { openSocket } from '../tls-socket.ts';
import { ReplyFault, ReplyTooLarge } from './bytes.ts';
import { enteringFailure, isTold } from './errors.ts';
import { type Frame, Frames, PROTOCOL } from './frames.ts';
import { columnOver, type Prepared, type Reply, readReply, type StatementReply } from './reply.ts';
import type { Settings } from './settings.ts';

/** Milliseconds that a server may take to close its side; then the socket is closed all the same. */
const END_MAX_MS = 2_000;
/** Most bytes of an answer before the login has succeeded. Spec silent. */
const LOGIN_MAX_BYTES = 64 * 1024;
/** Bytes of one answer where a call says nothing else: to what is prepared, traced or changed. Spec silent. */
const FRAME_MAX_BYTES = 4 * 1024 * 1024;
/** Bytes of one value, whatever the call. Contract §6, "Large results". */
const FIELD_MAX_BYTES = 64 * 1024 * 1024;
/** Challenges that a server may send in a login. */
const CHALLENGES_MAX = 4;

/** What connections of a pool are made from. */
export interface Recipe {
  readonly host: Host;
  readonly settings: Settings;
}

/** Values are bytes already. */
const encoder: Encoder = { protocolVersion: PROTOCOL, encode: (value) => value };
/** Calls run one after another, so one number is enough. */
const STREAM = 0;

interface PendingReply {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (reason: unknown) => void;
}

/** One connection. Calls on it run one after another. */
export class Connection {
  /** Called once, when the server or the network has ended it. */
  onLost: (() => void) | undefined;
  /** A call has it. */
  inUse = false;
  /** It has served a call before. */
  reused = false;
  readonly #socket: Socket;
  readonly #frames = new Frames(LOGIN_MAX_BYTES);
  #waiting: PendingReply | undefined;
  #lost = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (piece: Buffer) => this.#take(piece));
    // Its outcome is known when it ends.
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#lost = true;
      this.#fail(new Error('The connection was lost'));
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
      const connection = new Connection(socket);
      await connection.#enter(settings);
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

  /** Bytes that the next answers may have; by default 4 MiB. */
  set frameMax(bytes: number | undefined) {
    this.#frames.max = bytes ?? FRAME_MAX_BYTES;
  }

  /**
   * Sends one statement and waits for its answer.
   * @throws ResponseError of the driver's as the server says, ReplyFault, ReplyTooLarge, another error where the connection was lost
   */
  async send(request: Request): Promise<StatementReply> {
    const reply = await this.#ask(request);
    if (reply.kind === 'rows' || reply.kind === 'done') return reply;
    throw this.#faulty('The answer is none to a statement');
  }

  /** Has the server read a statement. @throws as `send` */
  async prepare(query: string): Promise<Prepared> {
    const reply = await this.#ask(new requests.PrepareRequest(query, undefined));
    if (reply.kind === 'prepared') return reply;
    throw this.#faulty('Nothing was prepared');
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
      const timer = setTimeout(() => this.#socket.destroy(), END_MAX_MS);
      this.#socket.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      if (this.#lost) this.#socket.destroy();
      else this.#socket.end();
      this.#lost = true;
    });
  }

  async #enter({ user, password, application, keyspace }: Settings): Promise<void> {
    const names = { noCompact: false, applicationName: application };
    let reply = await this.#ask(new requests.StartupRequest(names));
    for (let rounds = 0; reply.kind === 'asks'; rounds += 1) {
      if (user === '')
        throw new GatewayError('CONNECTION_FAILED', 'Password authentication failed');
      if (rounds === CHALLENGES_MAX) throw this.#faulty('The server never stops asking');
      // Source: RFC 4616, PLAIN; to a further question there is no other answer.
      reply = await this.#ask(
        new requests.AuthResponseRequest(Buffer.from(`\0${user}\0${password}`)),
      );
    }
    if (reply.kind !== 'entered') throw this.#faulty('The server does not let anybody enter');
    this.frameMax = undefined;
    if (keyspace !== '') {
      await this.send(new requests.QueryRequest(`USE "${keyspace}"`, null, null));
    }
  }

  #ask(request: Request): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#lost) return reject(new Error('The connection is closed'));
      if (this.#waiting) return reject(new Error('Calls run one after another'));
      const bytes = request.write(encoder, STREAM);
      this.#waiting = { resolve, reject };
      this.#frames.awaited = true;
      this.#socket.write(bytes);
    });
  }

  /** Whatever a server sends ends at most this connection. */
  #take(piece: Buffer): void {
    if (this.#lost) return;
    try {
      const frame = this.#frames.push(piece);
      if (frame === undefined) return;
      const waiting = this.#waiting;
      const reply = read(frame);
      this.#waiting = undefined;
      if ('refusal' in reply) waiting?.reject(reply.refusal);
      else waiting?.resolve(reply);
    } catch (fault) {
      this.interrupt();
      if (fault instanceof ReplyTooLarge) {
        fault.column = columnOver(FIELD_MAX_BYTES, fault.start, fault.flags);
      }
      this.#fail(fault);
    }
  }

  #fail(reason: unknown): void {
    this.#waiting?.reject(reason);
    this.#waiting = undefined;
  }

  /** Ends it: what the server says next belongs to nothing. */
  #faulty(message: string): ReplyFault {
    this.interrupt();
    return new ReplyFault(message);
  }
}

/** A message, or what the server refuses. @throws ReplyFault, or what else reading it finds */
function read(frame: Frame): Reply | { readonly refusal: unknown } {
  try {
    return readReply(frame);
  } catch (cause) {
    if (isTold(cause)) return { refusal: cause };
    throw cause;
  }
}
