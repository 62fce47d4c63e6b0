/** A connection that streams the server's log: it starts, hands over messages one by one, and reports what is stored. Source: PostgreSQL manual, "Streaming Replication Protocol". */
import type { Duplex } from 'node:stream';
import { DatabaseError } from 'pg';
import { CHANGE_MAX_BYTES } from '../../change-batch.ts';
import { ConnectionLost, Unreadable } from '../../loss.ts';
import { Pulled } from '../../pulled.ts';
import { readMessage } from '../backend-messages.ts';
import type { Recipe, StartupClient } from '../connection.ts';
import { connectAs } from '../log-in.ts';
import { MessageCutter, type Piece } from './message-cutter.ts';
import { type Lsn, lsnText } from './position.ts';

/** How often the server hears that its reader is there, in milliseconds; it waits for a minute by default. */
const STATUS_EVERY_MS = 10_000;
/** Milliseconds for the goodbye. */
const CLOSE_MS = 1_000;
/** From Unix's epoch to PostgreSQL's, in microseconds. */
const EPOCH_US = 946_684_800_000_000n;

/** What the server sends while it streams. */
export type Streamed =
  | { readonly is: 'data'; readonly lsn: Lsn; readonly body: Buffer }
  /** A change that is too large: only its beginning is kept. */
  | { readonly is: 'oversize'; readonly lsn: Lsn; readonly beginning: Buffer }
  | { readonly is: 'keepalive'; readonly end: Lsn; readonly asks: boolean }
  /** The server warns of something: from PostgreSQL 18 on that a publication is missing. */
  | { readonly is: 'warning' };

/** Logs in for replication. @throws GatewayError as `connect` */
export function connectForReplication(recipe: Recipe, signal: AbortSignal): Promise<Replication> {
  return connectAs(recipe, signal, {
    startup: { replication: 'database' },
    make: async (client) => new Replication(client),
  });
}

/** One such connection; its owner asks for what is next, and nothing more is read meanwhile. */
export class Replication {
  readonly #stream: Duplex;
  readonly #pulled: Pulled<Piece>;
  #status: NodeJS.Timeout | undefined;
  #received: Lsn = 0n;
  #stored: Lsn = 0n;

  constructor(client: StartupClient) {
    this.#stream = client.incoming.stream;
    // The login's reader leaves: from now on nothing flows by itself. The server says nothing until it is asked.
    this.#pulled = new Pulled(this.#stream, new MessageCutter(CHANGE_MAX_BYTES));
    client.on('error', (cause) => this.#pulled.lose(cause));
    this.#stream.once('close', () => clearInterval(this.#status));
  }

  /**
   * Begins to stream a slot's log.
   * @throws DatabaseError what the server answered: it can be asked again then
   */
  async start(slot: string, publications: readonly string[], from: Lsn, signal: AbortSignal) {
    const names = publications.map((name) => `"${name}"`).join(',');
    this.#query(
      `START_REPLICATION SLOT "${slot}" LOGICAL ${lsnText(from)} (proto_version '1', publication_names '${names}')`,
    );
    let refused: DatabaseError | undefined;
    for (;;) {
      const piece = await this.#pulled.next(signal, Number.POSITIVE_INFINITY);
      if (piece === undefined) continue;
      const { body } = piece;
      const letter = letterOf(piece);
      if (letter === 'W') break;
      if (letter === 'E') refused = errorOf(body);
      if (letter === 'Z') throw refused ?? new Unreadable('an end of what did not begin');
    }
    this.#received = from;
    this.#stored = from;
    this.#status = setInterval(() => this.tell(), STATUS_EVERY_MS).unref();
  }

  /** Whether something has come that was not taken. */
  get hasMore(): boolean {
    return this.#pulled.hasMore;
  }

  /**
   * What comes next; undefined when nothing does for so long.
   * @throws DatabaseError, ConnectionLost, Unreadable, the signal's reason
   */
  async next(signal: AbortSignal, waitMs: number): Promise<Streamed | undefined> {
    const end = performance.now() + waitMs;
    for (;;) {
      const piece = await this.#pulled.next(signal, end - performance.now());
      if (piece === undefined) return undefined;
      const { body, whole } = piece;
      const letter = letterOf(piece);
      if (letter === 'd') return this.#streamed(body, whole);
      if (letter === 'E') throw errorOf(body);
      if (letter === 'N') return { is: 'warning' };
      if (letter === 'c' || letter === 'C' || letter === 'Z') {
        throw new ConnectionLost('The server ended the stream');
      }
    }
  }

  /** Lets the server forget what comes before; told at once. */
  store(lsn: Lsn): void {
    if (lsn <= this.#stored) return;
    this.#stored = lsn;
    if (lsn > this.#received) this.#received = lsn;
    this.tell();
  }

  /** Tells the server how far its reader is. */
  tell(): void {
    if (this.#pulled.isLost || !this.#stream.writable) return;
    const bytes = Buffer.alloc(1 + 4 + 34);
    bytes.write('d', 0, 'latin1');
    bytes.writeInt32BE(4 + 34, 1);
    bytes.write('r', 5, 'latin1');
    bytes.writeBigInt64BE(this.#received, 6);
    bytes.writeBigInt64BE(this.#stored, 14);
    bytes.writeBigInt64BE(this.#stored, 22);
    bytes.writeBigInt64BE(BigInt(Date.now()) * 1000n - EPOCH_US, 30);
    this.#stream.write(bytes);
  }

  /** Ends it; answers when the server has let go of it, or after a second. */
  close(): Promise<void> {
    clearInterval(this.#status);
    if (this.#pulled.isLost) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#stream.destroy(), CLOSE_MS);
      this.#stream.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      // Terminate, which the server reads in the middle of its stream, too.
      this.#stream.end(Buffer.from([0x58, 0, 0, 0, 4]));
      this.#stream.removeAllListeners('readable').resume();
    });
  }

  #streamed(body: Buffer, whole: boolean): Streamed {
    const kind = body[0];
    if (kind === 0x77 && body.length >= 25) {
      const lsn = body.readBigInt64BE(1);
      const end = body.readBigInt64BE(9);
      if (end > this.#received) this.#received = end;
      const data = body.subarray(25);
      return whole ? { is: 'data', lsn, body: data } : { is: 'oversize', lsn, beginning: data };
    }
    if (kind === 0x6b && body.length === 18) {
      const end = body.readBigInt64BE(1);
      if (end > this.#received) this.#received = end;
      const asks = body[17] === 1;
      if (asks) this.tell();
      return { is: 'keepalive', end, asks };
    }
    throw new Unreadable('a piece of a stream that no server sends');
  }

  #query(text: string): void {
    const length = 4 + Buffer.byteLength(text) + 1;
    const bytes = Buffer.alloc(1 + length);
    bytes.write('Q', 0, 'latin1');
    bytes.writeInt32BE(length, 1);
    bytes.write(text, 5);
    this.#stream.write(bytes);
  }
}

function letterOf({ letter }: Piece): string {
  return String.fromCharCode(letter);
}

function errorOf(body: Buffer): DatabaseError {
  const error: unknown = readMessage(0x45, body, 0, body.length);
  if (error instanceof DatabaseError) return error;
  throw new Unreadable('an error that says nothing');
}
