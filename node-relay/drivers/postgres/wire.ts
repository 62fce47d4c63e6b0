/** Speaks the extended query protocol over a connection that node-postgres has opened. */
import type { Duplex } from 'node:stream';
import { type Client, DatabaseError } from 'pg';
import type { FieldValue } from './encode.ts';

/** One column of a result as the server describes it. */
export interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** Where the answer to an exchange goes; what is left out is not wanted. */
export interface Sink {
  /** Called once before the rows; not at all when the statement yields none. */
  fields?(fields: readonly Field[]): void;
  row?(values: readonly FieldValue[]): void;
  copyOut?(chunk: Buffer): void;
  /** What to send when the server asks for COPY data. */
  copyIn?: Buffer;
  parameters?(oids: readonly number[]): void;
}

/** A statement ready to be bound: text, values in text format and the types that the caller names (0: none). */
export interface Statement {
  readonly text: string;
  readonly values?: readonly FieldValue[];
  readonly types?: readonly number[];
}

/** The part of node-postgres's connection that this file uses; its types leave most of it out. */
export interface Messages {
  readonly stream: Duplex;
  parse(message: { name?: string; text: string; types?: readonly number[] }): void;
  bind(message: { portal?: string; statement?: string; values?: readonly FieldValue[] }): void;
  describe(message: { type: 'P' | 'S'; name: string }): void;
  execute(message: { portal?: string }): void;
  close(message: { type: 'P' | 'S'; name: string }): void;
  flush(): void;
  sync(): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
  on(event: string, listener: (message: { dataTypeIDs: number[] }) => void): void;
}

/** What an exchange sends and when it ends. */
export interface Exchange {
  readonly send: (messages: Messages) => void;
  /** `ready`: `send` ends in Sync; `complete` and `described`: it ends in Flush. */
  readonly until: 'ready' | 'complete' | 'described';
  /** Which Execute's rows and tag count, from 0; the answers of those before it are dropped. */
  readonly main?: number;
  /** Whether the change may be kept once this is sent. */
  readonly commits?: boolean;
  readonly sink?: Sink;
}

interface Pending extends Exchange {
  readonly resolve: (tag: string) => void;
  readonly reject: (error: Error) => void;
  completes: number;
  tag: string;
  error?: Error;
}

/** The connection ended, with or without a word of the server. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

const COPY_PIECE_BYTES = 65_536;

/**
 * One connection's conversation. At most one exchange at a time. Exchanges that end in Flush
 * leave the server's implicit transaction open until `sync`; after a rejection the
 * server is ready again, or the connection lost.
 */
export class Wire {
  /** Why the connection is of no more use. */
  lost: ConnectionLost | undefined;
  /** A change was sent to be kept, and the server has not yet said how that ended. */
  uncertain = false;
  /** Called once, when the connection is lost. */
  onLost: (() => void) | undefined;
  readonly messages: Messages;
  readonly #client: Client;
  #pending: Pending | undefined;
  #open = false;

  constructor(client: Client) {
    this.#client = client;
    this.messages = client.connection as unknown as Messages; // The types leave its methods out.
    this.messages.on('readyForQuery', () => this.#ready());
    this.messages.on('noData', () => this.#described());
    this.messages.on('parameterDescription', ({ dataTypeIDs }) =>
      this.#pending?.sink?.parameters?.(dataTypeIDs),
    );
    client.on('error', (cause) => this.lose(cause));
    client.on('end', () => this.lose(new Error('closed')));
  }

  /** Whether the server has no transaction open. */
  get idle(): boolean {
    return !this.#open && this.#client.getTransactionStatus() === 'I';
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
      this.#pending = { ...exchange, resolve, reject, completes: 0, tag: '' };
      if (exchange.commits) this.uncertain = true;
      if (this.#open) this.#send(exchange);
      else this.#client.query(this);
    });
  }

  /** Ends the implicit transaction that Flush left open, keeping its changes. */
  async commit(): Promise<void> {
    await this.exchange({ send: (m) => m.sync(), until: 'ready', commits: true });
  }

  /** Ends the implicit transaction that Flush left open, undoing its changes. */
  async rollback(): Promise<void> {
    if (!this.#open) return;
    await this.exchange({
      send: (m) => putStatements(m, [{ text: 'ROLLBACK' }], 'sync'),
      until: 'ready',
    });
  }

  /** Marks the connection as gone and fails the exchange under way. */
  lose(cause: Error): void {
    if (this.lost) return;
    this.lost = new ConnectionLost('The connection was lost', { cause });
    this.onLost?.();
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.reject(this.lost);
  }

  // What node-postgres calls on the query under way.

  submit(): null {
    this.#open = true;
    if (this.#pending) this.#send(this.#pending);
    return null;
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    const pending = this.#pending;
    if (pending && pending.completes === (pending.main ?? 0)) pending.sink?.fields?.(fields);
    this.#described();
  }

  handleDataRow({ fields }: { fields: readonly FieldValue[] }): void {
    const pending = this.#pending;
    if (pending && pending.completes === (pending.main ?? 0)) pending.sink?.row?.(fields);
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
    const data = this.#pending?.sink?.copyIn;
    if (data) {
      for (let at = 0; at < data.length; at += COPY_PIECE_BYTES) {
        this.messages.sendCopyFromChunk(data.subarray(at, at + COPY_PIECE_BYTES));
      }
      this.messages.endCopyFrom();
    } else {
      this.messages.sendCopyFail('no data');
    }
    // The server drops a Sync that it reads while it waits for COPY data.
    this.messages.sync();
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
      pending.error ??= error;
      // An error before the command was complete undid it.
      if (pending.completes <= (pending.main ?? 0)) this.uncertain = false;
      if (pending.until !== 'ready') this.messages.sync();
    } else {
      this.lose(error);
    }
  }

  #send({ send }: Exchange): void {
    const { stream } = this.messages;
    stream.cork();
    send(this.messages);
    stream.uncork();
  }

  #described(): void {
    const pending = this.#pending;
    if (pending?.until === 'described') this.#settle(pending);
  }

  #complete(tag: string): void {
    const pending = this.#pending;
    if (!pending) return;
    if (pending.completes === (pending.main ?? 0)) {
      pending.tag = tag;
      if (pending.until === 'complete') this.#settle(pending);
    }
    pending.completes += 1;
  }

  #ready(): void {
    this.#open = false;
    const pending = this.#pending;
    if (!pending) return;
    this.uncertain = false;
    this.#settle(pending);
  }

  #settle(pending: Pending): void {
    this.#pending = undefined;
    if (pending.error) pending.reject(pending.error);
    else pending.resolve(pending.tag);
  }
}

/** Parse, Bind, Describe and Execute of each statement, then Sync or Flush. */
export function putStatements(
  messages: Messages,
  statements: readonly Statement[],
  end: 'sync' | 'flush',
): void {
  for (const { text, values, types } of statements) {
    messages.parse(types ? { text, types } : { text });
    messages.bind(values ? { values } : {});
    messages.describe({ type: 'P', name: '' });
    messages.execute({});
  }
  if (end === 'sync') messages.sync();
  else messages.flush();
}
