/** Speaks the extended query protocol over a connection that node-postgres has opened. */
import type { Duplex } from 'node:stream';
import { DatabaseError } from 'pg';
import type { FieldValue } from '../../../kinds/postgres/dialect/encode.ts';
import type { Field } from '../../../kinds/postgres/dialect/rows.ts';
import { ConnectionLost, Unreadable } from '../loss.ts';
import type { StartupClient } from './connection.ts';
import type { Exchange, Sink } from './exchange.ts';
import { OWN_ROW_MAX } from './frames.ts';
import type { RowTaker } from './incoming.ts';
import { copyMessages, SYNC, statementMessages } from './messages.ts';

const ROLLBACK = statementMessages([{ text: 'ROLLBACK' }], 'sync');

/**
 * What ReadyForQuery says after a statement, by its command tag; undefined after one that leaves a transaction as it
 * is. ROLLBACK may be to a savepoint, and both may begin the next. Source: PostgreSQL manual, "Message Formats".
 */
function statesAfter(tag: string): string | undefined {
  if (tag === 'BEGIN' || tag === 'START TRANSACTION') return 'T';
  if (tag === 'COMMIT' || tag === 'ROLLBACK') return 'IT';
  return tag === 'PREPARE TRANSACTION' ? 'I' : undefined;
}

interface PendingExchange extends Exchange {
  readonly resolve: (tag: string) => void;
  readonly reject: (error: Error) => void;
  /** A Sync is on its way, after which the server is ready. */
  synced: boolean;
  completes: number;
  tag: string;
  error?: Error;
  /** What comes behind the main Execute has failed. */
  hasFailedBehind?: true;
  /** A statement is bound, so that one command may be complete. */
  bound: boolean;
  /** Columns of what is bound; undefined before they are told, empty when it has none. */
  columns: readonly Field[] | undefined;
}

/**
 * One connection's conversation. At most one exchange at a time. Exchanges that end in Flush
 * leave the server's implicit transaction open until `sync`; after a rejection the
 * server is ready again, or the connection lost.
 */
export class Wire implements RowTaker {
  /** Why the connection is of no more use. */
  lost: ConnectionLost | undefined;
  /** A change was sent to be kept, and the server has not yet said how that ended. */
  uncertain = false;
  /** Called once, when the connection is lost. */
  onLost: (() => void) | undefined;
  /** To hold rows back and let them come. */
  readonly stream: Duplex;
  readonly #client: StartupClient;
  #pending: PendingExchange | undefined;
  #open = false;
  #stopped = false;
  /** What the server may say of its transaction when it is ready next. */
  #states = 'I';

  constructor(client: StartupClient) {
    this.#client = client;
    const { incoming } = client;
    this.stream = incoming.stream;
    incoming.rows = this;
    incoming.on('readyForQuery', ({ status }: { status: string }) => this.#ready(status));
    incoming.on('bindComplete', () => this.#boundOne());
    incoming.on('noData', () => this.#described([]));
    incoming.on('parameterDescription', ({ dataTypeIDs }: { dataTypeIDs: readonly number[] }) =>
      this.#pending?.sink?.parameters?.(dataTypeIDs),
    );
    client.on('error', (cause) => this.lose(cause));
    client.on('end', () => this.lose(new Error('closed')));
  }

  /** Whether the server has no transaction open. */
  get idle(): boolean {
    return !this.#open && this.#client.getTransactionStatus() === 'I';
  }

  /** Whether the server has yet to answer. */
  get busy(): boolean {
    return this.#pending !== undefined;
  }

  /** Whether the server has a transaction open that can go on. */
  get inTransaction(): boolean {
    return this.#client.getTransactionStatus() === 'T';
  }

  /**
   * Sends messages and answers the command tag of the main Execute.
   * @throws DatabaseError what the server answered; ConnectionLost
   */
  exchange(exchange: Exchange): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.lost) return reject(this.lost);
      if (this.#stopped) return reject(new ConnectionLost('The call was stopped'));
      // COPY data comes first.
      const synced = exchange.until === 'ready' && !exchange.sink?.copyIn;
      const bound = { bound: exchange.portal !== undefined, columns: exchange.portal };
      this.#pending = { ...exchange, ...bound, resolve, reject, synced, completes: 0, tag: '' };
      this.#client.incoming.frames.takeRows(exchange.rowMax ?? OWN_ROW_MAX);
      if (exchange.commits) this.uncertain = true;
      if (this.#open) this.#write(exchange.bytes);
      else this.#client.query(this);
    });
  }

  /** Ends the implicit transaction that Flush left open, keeping its changes. */
  async commit(): Promise<void> {
    const ends = { commits: true, runs: false, ends: true } as const;
    await this.exchange({ bytes: SYNC, until: 'ready', ...ends });
  }

  /** Ends the implicit transaction that Flush left open, undoing its changes. */
  async rollback(): Promise<void> {
    if (!this.#open) return;
    await this.exchange({ bytes: ROLLBACK, until: 'ready' });
  }

  /** Ends a transaction that failed. */
  async abandon(): Promise<void> {
    await this.exchange({ bytes: ROLLBACK, until: 'ready' });
  }

  /** Sends nothing more; what is under way goes on. */
  stop(): void {
    this.#stopped = true;
  }

  /** Marks the connection as gone and fails the exchange under way. */
  lose(cause: Error): void {
    if (this.lost) return;
    const pending = this.#pending;
    // What the server said last says more than that it has gone.
    this.lost = new ConnectionLost('The connection was lost', { cause: pending?.error ?? cause });
    this.onLost?.();
    this.#pending = undefined;
    if (pending && isBehind(pending)) this.#failBehind(pending, this.lost);
    else pending?.reject(this.lost);
    if (pending?.hasFailedBehind) pending.resolve(pending.tag);
  }

  // What node-postgres calls on the query under way.

  submit(): null {
    this.#open = true;
    if (this.#pending) this.#write(this.#pending.bytes);
    return null;
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    const pending = this.#pending;
    if (pending) sinkOf(pending)?.fields?.(fields);
    this.#described(fields);
  }

  /** @throws Unreadable */
  row(values: readonly FieldValue[], bytes: number): void {
    const pending = this.#pending;
    if (pending?.columns?.length !== values.length || !pending.bound) {
      throw new Unreadable('a row of other columns');
    }
    sinkOf(pending)?.row?.(values, bytes);
  }

  /** @throws Unreadable where it is the driver that asked */
  oversize(column: number | undefined): void {
    const pending = this.#pending;
    const oversize = pending?.sink?.oversize;
    if (!pending || !oversize) throw new Unreadable('a row larger than was asked for');
    const field = column === undefined ? undefined : pending.columns?.[column]?.name;
    if (pending.completes === (pending.main ?? 0)) oversize.call(pending.sink, field);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#complete(text);
  }

  handleEmptyQuery(): void {
    this.#complete('');
  }

  handlePortalSuspended(): void {
    this.#complete('');
  }

  handleCopyInResponse(): void {
    const pending = this.#pending;
    if (pending) pending.synced = true;
    for (const bytes of copyMessages(pending?.sink?.copyIn)) this.#write(bytes);
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.#pending?.sink?.copyOut?.(chunk);
  }

  handleReadyForQuery(): void {
    // The listener on `readyForQuery` answers, because node-postgres skips this one after an error.
  }

  handleError(error: Error): void {
    const pending = this.#pending;
    if (pending && error instanceof DatabaseError) {
      if (isBehind(pending)) this.#failBehind(pending, error);
      else pending.error ??= error;
      // An error before the command was complete undid it.
      if (pending.completes <= (pending.main ?? 0)) this.uncertain = false;
      if (!pending.synced) this.#write(SYNC);
      pending.synced = true;
    } else {
      this.lose(error);
    }
  }

  #write(bytes: Buffer): void {
    // A stream that is no longer writable is about to be reported as lost.
    if (this.stream.writable) this.stream.write(bytes);
  }

  #boundOne(): void {
    const pending = this.#pending;
    if (!pending || pending.bound) throw new Unreadable('a statement bound by itself');
    pending.bound = true;
    pending.columns = undefined;
  }

  #described(fields: readonly Field[]): void {
    const pending = this.#pending;
    if (!pending || pending.columns) throw new Unreadable('columns that nobody asked for');
    pending.columns = fields;
    if (pending.until === 'described') this.#settle(pending);
  }

  #complete(tag: string): void {
    const pending = this.#pending;
    if (!pending?.bound) throw new Unreadable('the end of what did not begin');
    pending.bound = false;
    pending.columns = undefined;
    this.#states = statesAfter(tag) ?? this.#states;
    if (pending.completes === (pending.main ?? 0)) {
      pending.tag = tag;
      if (pending.until === 'complete') this.#settle(pending);
    }
    pending.completes += 1;
  }

  #ready(state: string): void {
    this.#open = false;
    const states = this.#states;
    this.#states = state;
    const pending = this.#pending;
    if (!pending) return;
    const isComplete = pending.completes > (pending.main ?? 0) || pending.runs === false;
    if (!pending.error && !(isComplete && pending.synced)) {
      throw new Unreadable('the end of what was not complete');
    }
    // Before a change counts as kept: in a transaction that the driver did not begin, it is not.
    const hasFailed = pending.error !== undefined || pending.hasFailedBehind;
    if (!hasFailed && !(pending.ends ? 'I' : states).includes(state)) {
      throw new Unreadable('a transaction that nobody began or ended');
    }
    this.uncertain = false;
    this.#settle(pending);
  }

  #failBehind(pending: PendingExchange, error: Error): void {
    if (!pending.hasFailedBehind) pending.behind?.(error);
    pending.hasFailedBehind = true;
  }

  #settle(pending: PendingExchange): void {
    this.#pending = undefined;
    if (pending.error) pending.reject(pending.error);
    else pending.resolve(pending.tag);
  }
}

/** Where rows of the statement go whose answer comes now. */
function sinkOf({ completes, main = 0, sink, others }: PendingExchange): Sink | undefined {
  return completes === main ? sink : others?.get(completes);
}

/** Whether the main Execute is complete, and what comes behind it fails by itself. */
function isBehind({ behind, completes, main = 0, error }: PendingExchange): boolean {
  return behind !== undefined && completes > main && error === undefined;
}
