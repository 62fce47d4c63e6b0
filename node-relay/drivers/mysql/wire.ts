/** Speaks the command phase of the MySQL protocol on a socket that is logged in. */
import type { Socket } from 'node:net';
import { ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import { ConnectionLost, Unreadable } from '../loss.ts';
import { type Command, readEnd, sending } from './command.ts';
import type { Companions, Prepared, Sink } from './exchange.ts';
import { OTHER_MAX, PacketFrames, type PacketReceiver } from './packet-frames.ts';
import { type Outcome, type Packet, readColumn, readError, readOk, STATUS } from './packets.ts';

/** What a row of the driver's own questions may hold, in bytes. */
const OWN_ROW_MAX = 32 * 1024 * 1024;
/** What the descriptions of all columns may take, in bytes: names have at most 256. */
const COLUMNS_MAX_BYTES = 16 * 1024 * 1024;

/** One connection's conversation; the server answers commands in the order in which they are sent. */
export class Wire implements PacketReceiver {
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
  #pending: Command | undefined;
  /** Sent behind the one that is being answered. */
  readonly #behind: Command[] = [];
  #stopped = false;
  readonly #frames = new PacketFrames(this);

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

  /** Whether a statement has set something of its session since `forget`, as far as the server reports. */
  sessionChanged = false;

  /** Whether no command is under way. */
  get idle(): boolean {
    return this.#pending === undefined;
  }

  /**
   * Sends a command and answers what it came to, after its last row.
   * @param commits whether it may change what is kept
   * @param companions what goes around it; the connection is lost where the server refuses one of them
   * @throws ServerError what the server answered; ConnectionLost; what the sink throws
   */
  send(bytes: Buffer, sink: Sink = {}, commits = false, companions?: Companions): Promise<Outcome> {
    return this.#exchange({ bytes, companions }, 'result', sink, commits);
  }

  /** Prepares a statement. @throws ServerError, ConnectionLost */
  async prepare(bytes: Buffer): Promise<Prepared> {
    const { prepared } = await this.#exchange({ bytes }, 'prepare', {}, false);
    if (!prepared) throw new Error('no statement was prepared');
    return prepared;
  }

  /** Sends a command that the server does not answer. */
  tell(bytes: Buffer): void {
    if (this.socket.writable) this.socket.write(bytes);
  }

  /** Sends no command more; the one under way goes on. */
  stop(): void {
    this.#stopped = true;
  }

  /** Marks the connection as gone and fails the command under way. */
  lose(cause: Error): void {
    if (this.lost) return;
    this.lost = new ConnectionLost('The connection was lost', { cause });
    this.onLost?.();
    const pending = this.#pending;
    this.#pending = undefined;
    // What it came to is known already.
    if (pending?.told) pending.told();
    else pending?.reject(this.lost);
    for (const { reject } of this.#behind.splice(0)) reject(this.lost);
  }

  #exchange(
    { bytes, companions }: { bytes: Buffer; companions?: Companions | undefined },
    kind: Command['kind'],
    sink: Sink,
    commits: boolean,
  ): Promise<Outcome & { prepared?: Prepared }> {
    return new Promise((resolve, reject) => {
      if (this.lost) return reject(this.lost);
      if (this.#stopped) return reject(new ConnectionLost('The call was stopped'));
      const { whole, ...begun } = sending(bytes, companions);
      const nothing = { left: 0, columns: [], columnBytes: 0 };
      this.#behind.push({ ...begun, ...nothing, sink, kind, commits, resolve, reject });
      if (!this.#pending) this.#next();
      if (commits) this.uncertain = true;
      if (this.socket.writable) this.socket.write(whole);
    });
  }

  /** Goes on to the answer of the next command. */
  #next(): void {
    this.#pending = this.#behind.shift();
    if (this.#pending) this.#frames.expect(this.#pending.answered);
  }

  #take(chunk: Buffer): void {
    if (this.lost) return;
    try {
      this.#frames.take(chunk);
    } catch (error) {
      // A reply that cannot be read leaves nothing to go on with.
      this.lose(error instanceof Error ? error : new Unreadable(String(error)));
      this.socket.destroy();
    }
  }

  get payloadMax(): number {
    const pending = this.#pending;
    return pending?.state === 'rows' ? (pending.sink.rowMax ?? OWN_ROW_MAX) : OTHER_MAX;
  }

  /** @throws Unreadable, ServerError of what a server says unasked */
  packet(reader: Packet, last: boolean): void {
    const pending = this.#pending;
    if (pending) {
      this.#step(pending, reader, last);
      return;
    }
    // What a server says unasked is why it hangs up.
    throw reader.next === 0xff
      ? readError(reader)
      : new Unreadable('a packet that nobody asked for');
  }

  /** @throws Unreadable where it is no row, or the driver that asked */
  oversize(begun: readonly Buffer[]): void {
    const pending = this.#pending;
    if (pending?.state !== 'rows' || !pending.sink.oversize) {
      throw new Unreadable('a packet larger than was asked for');
    }
    const { sink, columns } = pending;
    this.#tell(pending, () => sink.oversize?.(begun, columns));
  }

  #step(pending: Command, reader: Packet, last: boolean): void {
    if (pending.state === 'ahead' || pending.state === 'behind') {
      this.#companion(pending, reader);
      return;
    }
    const marker = reader.next;
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
        pending.columnBytes += reader.left;
        if (pending.columnBytes > COLUMNS_MAX_BYTES) throw new Unreadable('columns without an end');
        pending.columns.push(readColumn(reader, this.#extended));
        if (pending.columns.length === pending.left) pending.state = 'columns end';
        break;
      case 'columns end':
        readEnd(reader);
        pending.state = 'rows';
        this.#tell(pending, () => pending.sink.columns?.(pending.columns));
        break;
      case 'rows':
        if (marker === 0xfe && reader.left < 9) this.#rowsEnd(pending, reader, last);
        else this.#tell(pending, () => pending.sink.row?.(reader));
        break;
      case 'definitions':
        pending.left -= 1;
        if (pending.left === 0) this.#settle(pending, this.#nothing());
        break;
    }
  }

  /** @throws ServerError where it is refused: what comes next on the connection cannot rely on it */
  #companion(pending: Command, reader: Packet): void {
    if (reader.next === 0xff) throw readError(reader);
    this.status = readOk(reader).status;
    if (pending.state === 'ahead') {
      pending.state = 'first';
      this.#frames.expect(pending.among ?? 1);
      return;
    }
    this.#next();
    pending.told?.();
  }

  #nothing(): Outcome {
    return { affected: 0n, insertId: 0n, status: this.status };
  }

  /** A sink's failure ends the command only after its last packet; but of a reply that cannot be read nothing comes after. */
  #tell(pending: Command, work: () => void): void {
    if (pending.failure) return;
    try {
      work();
    } catch (error) {
      if (error instanceof Unreadable) throw error;
      pending.failure = error instanceof Error ? error : new Error(String(error));
    }
  }

  #first(pending: Command, reader: Packet): void {
    const marker = reader.next;
    if (marker === 0x00) {
      this.#done(pending, readOk(reader));
      return;
    }
    if (marker === 0xfb) {
      // The server asks for a file of ours. LOCAL_FILES is off, so it should not; it gets none.
      throw new ServerError(1148, '42000', 'LOAD DATA LOCAL is not taken');
    }
    pending.left = reader.length();
    reader.done();
    pending.columns = [];
    pending.state = 'columns';
  }

  #prepared(pending: Command, reader: Packet): void {
    if (reader.u8() !== 0) throw new Unreadable('no statement was prepared');
    const id = reader.u32();
    const columns = reader.u16();
    const parameters = reader.u16();
    pending.prepared = { id, parameters };
    // Each list is followed by a packet that ends it.
    pending.left = (columns > 0 ? columns + 1 : 0) + (parameters > 0 ? parameters + 1 : 0);
    pending.state = 'definitions';
    if (pending.left === 0) this.#settle(pending, this.#nothing());
  }

  #rowsEnd(pending: Command, reader: Packet, last: boolean): void {
    const status = readEnd(reader);
    const goesOn = (status & STATUS.moreResults) !== 0;
    const isFollowed = goesOn || pending.among !== undefined || this.#behind.length > 0;
    if (!last && !isFollowed) throw new Unreadable('rows behind their end');
    this.#done(pending, { affected: 0n, insertId: 0n, status });
  }

  #done(pending: Command, outcome: Outcome): void {
    this.status = outcome.status;
    const isChanged = (outcome.status & STATUS.sessionChanged) !== 0;
    if (isChanged && !pending.sink.takenBack) this.sessionChanged = true;
    if ((outcome.status & STATUS.moreResults) !== 0) {
      pending.state = 'first';
      return;
    }
    this.#settle(pending, outcome);
  }

  #fail(pending: Command, error: ServerError): void {
    this.#end(pending, () => pending.reject(error));
  }

  #settle(pending: Command, outcome: Outcome): void {
    const { failure, prepared } = pending;
    this.#end(pending, () => {
      if (failure) pending.reject(failure);
      else pending.resolve(prepared ? { ...outcome, prepared } : outcome);
    });
  }

  #end(pending: Command, tell: () => void): void {
    this.uncertain = this.#behind.some(({ commits }) => commits);
    if (pending.among !== undefined) {
      pending.state = 'behind';
      pending.told = tell;
      this.#frames.expect(1);
      return;
    }
    this.#next();
    tell();
  }
}
