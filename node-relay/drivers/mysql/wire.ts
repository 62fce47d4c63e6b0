/** Speaks the command phase of the MySQL protocol on a socket that is logged in. */
import type { Socket } from 'node:net';
import { ServerError } from '../../../dialects/mysql/failures.ts';
import type { Column } from '../../../dialects/mysql/types.ts';
import { ConnectionLost } from '../loss.ts';
import {
  type Outcome,
  PAYLOAD_MAX,
  Reader,
  readColumn,
  readError,
  readOk,
  STATUS,
} from './packets.ts';

/** Where rows go. The reader stands at a row's first byte and is only good during the call. */
export interface Sink {
  /** Called once for each result set, before its rows. */
  columns?(columns: readonly Column[]): void;
  row?(reader: Reader): void;
}

/** What the server keeps of a prepared statement. */
export interface Prepared {
  readonly id: number;
  readonly parameters: number;
}

/** One command under way. */
interface Pending {
  readonly sink: Sink;
  readonly kind: 'result' | 'prepare';
  readonly resolve: (outcome: Outcome & { prepared?: Prepared }) => void;
  readonly reject: (error: Error) => void;
  state: 'first' | 'columns' | 'columns end' | 'rows' | 'definitions';
  /** Columns to come, or definitions with the packets that end them. */
  left: number;
  columns: Column[];
  prepared?: Prepared;
  failure?: Error;
}

/** Bytes ahead of each payload: its length and its number. */
const HEADER = 4;

/** One connection's conversation; one command at a time. */
export class Wire {
  /** Why the connection is of no more use. */
  lost: ConnectionLost | undefined;
  /** A change was sent to be kept, and the server has not yet said how that ended. */
  uncertain = false;
  /** Of the last outcome. */
  status = 0;
  /** Called once, when the connection is lost. */
  onLost: (() => void) | undefined;
  readonly socket: Socket;
  readonly #extended: boolean;
  #pending: Pending | undefined;
  #chunks: Buffer[] = [];
  #have = 0;
  /** Bytes up to the end of the packet that has begun. */
  #wanted = HEADER;
  /** Payloads of a packet that is longer than one can be. */
  #long: Buffer[] = [];

  constructor(socket: Socket, extendedColumns: boolean) {
    this.socket = socket;
    this.#extended = extendedColumns;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (cause) => this.lose(cause));
    socket.on('close', () => this.lose(new Error('closed')));
    socket.on('end', () => this.lose(new Error('closed')));
    socket.resume();
  }

  /** Whether a transaction is open. */
  get inTransaction(): boolean {
    return (this.status & STATUS.inTransaction) !== 0;
  }

  /** Whether that can change nothing. */
  get readOnlyTransaction(): boolean {
    return (this.status & STATUS.readOnlyTransaction) !== 0;
  }

  /** Whether a statement has set something of its session since `forget`, as far as the server tells. */
  sessionChanged = false;

  /** Whether no command is under way. */
  get idle(): boolean {
    return this.#pending === undefined;
  }

  /**
   * Sends a command and answers what it came to, after its last row.
   * @param commits whether it may change what is kept
   * @throws ServerError what the server answered; ConnectionLost; what the sink throws
   */
  send(bytes: Buffer, sink: Sink = {}, commits = false): Promise<Outcome> {
    return this.#exchange(bytes, 'result', sink, commits);
  }

  /** Prepares a statement. @throws ServerError, ConnectionLost */
  async prepare(bytes: Buffer): Promise<Prepared> {
    const { prepared } = await this.#exchange(bytes, 'prepare', {}, false);
    if (!prepared) throw new Error('no statement was prepared');
    return prepared;
  }

  /** Sends a command that the server does not answer. */
  tell(bytes: Buffer): void {
    if (this.socket.writable) this.socket.write(bytes);
  }

  /** Marks the connection as gone and fails the command under way. */
  lose(cause: Error): void {
    if (this.lost) return;
    this.lost = new ConnectionLost('The connection was lost', { cause });
    this.onLost?.();
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.reject(this.lost);
  }

  #exchange(
    bytes: Buffer,
    kind: Pending['kind'],
    sink: Sink,
    commits: boolean,
  ): Promise<Outcome & { prepared?: Prepared }> {
    return new Promise((resolve, reject) => {
      if (this.lost) return reject(this.lost);
      this.#pending = { sink, kind, resolve, reject, state: 'first', left: 0, columns: [] };
      if (commits) this.uncertain = true;
      if (this.socket.writable) this.socket.write(bytes);
    });
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#have += chunk.length;
    if (this.#have < this.#wanted) return;
    // A large packet in many chunks is joined once, not once a chunk.
    const buffer = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    const at = this.#packets(buffer);
    const rest = buffer.subarray(at);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#have = rest.length;
    this.#wanted = rest.length < HEADER ? HEADER : HEADER + rest.readUIntLE(0, 3);
  }

  /** Takes all whole packets, and answers where the rest begins. */
  #packets(buffer: Buffer): number {
    let at = 0;
    while (buffer.length - at >= HEADER) {
      const length = buffer.readUIntLE(at, 3);
      const end = at + HEADER + length;
      if (end > buffer.length) break;
      if (length === PAYLOAD_MAX || this.#long.length > 0) {
        this.#long.push(buffer.subarray(at + HEADER, end));
        if (length < PAYLOAD_MAX) this.#packet(new Reader(Buffer.concat(this.#long.splice(0))));
      } else {
        this.#packet(new Reader(buffer, at + HEADER, end));
      }
      at = end;
    }
    return at;
  }

  #packet(reader: Reader): void {
    const pending = this.#pending;
    if (!pending) {
      // What a server says unasked is why it hangs up.
      const said = reader.buffer[reader.at] === 0xff ? readError(reader) : new Error('unasked');
      this.lose(said);
      this.socket.destroy();
      return;
    }
    try {
      this.#step(pending, reader);
    } catch (error) {
      // A reply that cannot be read leaves nothing to go on with.
      this.lose(error instanceof Error ? error : new Error('unreadable'));
      this.socket.destroy();
    }
  }

  #step(pending: Pending, reader: Reader): void {
    const marker = reader.buffer[reader.at];
    if (marker === 0xff && pending.state !== 'columns') {
      this.#fail(pending, readError(reader));
      return;
    }
    switch (pending.state) {
      case 'first':
        if (pending.kind === 'prepare') this.#prepared(pending, reader);
        else this.#first(pending, reader);
        break;
      case 'columns':
        pending.columns.push(readColumn(reader, this.#extended));
        if (pending.columns.length === pending.left) pending.state = 'columns end';
        break;
      case 'columns end':
        pending.state = 'rows';
        this.#tell(pending, () => pending.sink.columns?.(pending.columns));
        break;
      case 'rows':
        if (marker === 0xfe && reader.end - reader.at < 9) this.#rowsEnd(pending, reader);
        else this.#row(pending, reader);
        break;
      case 'definitions':
        pending.left -= 1;
        if (pending.left === 0) this.#settle(pending, this.#nothing());
        break;
    }
  }

  #nothing(): Outcome {
    return { affected: 0n, insertId: 0n, status: this.status };
  }

  #row(pending: Pending, reader: Reader): void {
    if (pending.failure) return;
    try {
      pending.sink.row?.(reader);
    } catch (error) {
      pending.failure = error instanceof Error ? error : new Error(String(error));
    }
  }

  /** A sink's failure ends the command only after its last packet. */
  #tell(pending: Pending, work: () => void): void {
    if (pending.failure) return;
    try {
      work();
    } catch (error) {
      pending.failure = error instanceof Error ? error : new Error(String(error));
    }
  }

  #first(pending: Pending, reader: Reader): void {
    const marker = reader.buffer[reader.at];
    if (marker === 0x00) {
      this.#done(pending, readOk(reader));
      return;
    }
    if (marker === 0xfb) {
      // The server asks for a file of ours. LOCAL_FILES is off, so it should not; it gets none.
      throw new ServerError(1148, '42000', 'LOAD DATA LOCAL is not taken');
    }
    pending.left = reader.length();
    pending.columns = [];
    pending.state = 'columns';
  }

  #prepared(pending: Pending, reader: Reader): void {
    reader.at += 1;
    const id = reader.u32();
    const columns = reader.u16();
    const parameters = reader.u16();
    pending.prepared = { id, parameters };
    // Each list is followed by a packet that ends it.
    pending.left = (columns > 0 ? columns + 1 : 0) + (parameters > 0 ? parameters + 1 : 0);
    pending.state = 'definitions';
    if (pending.left === 0) this.#settle(pending, this.#nothing());
  }

  #rowsEnd(pending: Pending, reader: Reader): void {
    // Marker, then warnings, which nobody asks for.
    reader.at += 3;
    this.#done(pending, { affected: 0n, insertId: 0n, status: reader.u16() });
  }

  #done(pending: Pending, outcome: Outcome): void {
    this.status = outcome.status;
    if ((outcome.status & STATUS.sessionChanged) !== 0) this.sessionChanged = true;
    if ((outcome.status & STATUS.moreResults) !== 0) {
      pending.state = 'first';
      return;
    }
    this.#settle(pending, outcome);
  }

  #fail(pending: Pending, error: ServerError): void {
    this.uncertain = false;
    this.#pending = undefined;
    pending.reject(error);
  }

  #settle(pending: Pending, outcome: Outcome): void {
    this.uncertain = false;
    this.#pending = undefined;
    if (pending.failure) pending.reject(pending.failure);
    else pending.resolve(pending.prepared ? { ...outcome, prepared: pending.prepared } : outcome);
  }
}
