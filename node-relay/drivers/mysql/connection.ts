/** One connection to a MySQL server: made, cancelled, reset and ended within bounds. */

import { ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import type { Settings } from '../../../kinds/mysql/dialect/settings.ts';
import { REMEMBERED_MAX_CHARACTERS } from '../../../kinds/mysql/dialect/statement.ts';
import type { Mode } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { CANCEL_MS } from '../cancel.ts';
import { connectByRoute, connectWithin, type Route } from '../connect.ts';
import type { Host } from '../driver.ts';
import type { Lendable } from '../lend.ts';
import { Unreadable } from '../loss.ts';
import { TlsFailed } from '../tls-socket.ts';
import { connectFailure, endsConnection, fromFailure } from './errors.ts';
import type { Companions, Prepared, Sink } from './exchange.ts';
import { kill } from './kill.ts';
import { type Encryption, encryptionsOf, type LoggedIn, lacksTls, logIn } from './login.ts';
import { COMMAND, command, type Outcome, type Reader, textCommand } from './packets.ts';
import { executeCommand } from './parameters.ts';
import { sessionSettings } from './session.ts';
import { Wire } from './wire.ts';

/** Milliseconds that a reset may take; no caller waits for it. */
const RESET_MS = 5_000;
/** Milliseconds for the goodbye. */
const CLOSE_MS = 1_000;
/** Statements that one connection keeps prepared: servers allow some ten thousand over all. */
const PREPARED_MAX = 100;

/** Most that the rows of a question of the driver's own may hold, with so many bytes for each. Spec silent. */
const OWN_ROWS_MAX_BYTES = 32 * 1024 * 1024;
const ROW_BYTES = 64;

const WHO = "SELECT COALESCE(CURRENT_ROLE(), ''), COALESCE(DATABASE(), '')";
/** The second for servers without profiles. */
const IDENTITY = [
  `${WHO}, IF(EXISTS (SELECT 1 FROM information_schema.PROFILING), 'profiled', '')`,
  WHO,
];

/** What a connection needs to be made. */
export interface Recipe {
  readonly host: Host;
  readonly settings: Settings;
  readonly mode: Mode;
  readonly route: Route<Encryption>;
}

/** Values of a row in the binary form, of columns that are all texts; NULL is an empty one. */
function textsOf(reader: Reader, columns: number): string[] {
  // Behind the marker stand the bits of NULLs.
  const nulls = reader.over(1 + ((columns + 9) >> 3)) + 1;
  const texts = Array.from({ length: columns }, (_, index) => {
    const bit = index + 2;
    const isNull = ((reader.buffer[nulls + (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0;
    return isNull ? '' : reader.lengthText();
  });
  reader.done();
  return texts;
}

/** Servers of other versions lack what is asked for. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof ServerError)) throw error;
}

/** An open connection; `wire` speaks on it. */
export class Connection implements Lendable {
  readonly wire: Wire;
  /** Transactions are read-only unless they say otherwise. */
  readonly readOnly: boolean;
  /** A call was stopped on it: what it still does must not meet the next caller. */
  interrupted = false;
  /** It has served a call before. */
  reused = false;
  /** A call has it; else the pool does. */
  inUse = true;
  /** LOCK TABLES of its lease may be in force. */
  tablesLocked = false;
  /** Name of the share of a transaction that is worked on, or was prepared, on it. */
  share: string | undefined;
  readonly #recipe: Recipe;
  readonly #threadId: number;
  #began = '';
  /** Least recently used first. */
  readonly #prepared = new Map<string, Prepared>();

  constructor(recipe: Recipe, { socket, threadId, extendedColumns }: LoggedIn) {
    this.#recipe = recipe;
    this.#threadId = threadId;
    this.readOnly = recipe.mode === 'read';
    this.wire = new Wire(socket, extendedColumns);
  }

  /** Runs a statement as it is, in the text form. */
  query(text: string, sink: Sink = {}, commits = false, around?: Companions): Promise<Outcome> {
    return this.wire.send(textCommand(COMMAND.query, text), sink, commits, around);
  }

  /** A prepared statement, kept for the next call. @throws ServerError, ConnectionLost */
  async prepare(text: string): Promise<Prepared> {
    const known = this.#prepared.get(text);
    if (known) {
      this.#prepared.delete(text);
      this.#prepared.set(text, known);
      return known;
    }
    for (const [oldest, { id }] of this.#prepared) {
      if (this.#prepared.size < PREPARED_MAX) break;
      this.#prepared.delete(oldest);
      this.#closeStatement(id);
    }
    const prepared = await this.wire.prepare(textCommand(COMMAND.prepare, text));
    if (text.length <= REMEMBERED_MAX_CHARACTERS) this.#prepared.set(text, prepared);
    return prepared;
  }

  /** Runs a prepared statement. */
  execute(
    prepared: Prepared,
    values: readonly Json[],
    sink: Sink,
    commits: boolean,
    around?: Companions,
  ): Promise<Outcome> {
    return this.wire.send(executeCommand(prepared, values), sink, commits, around);
  }

  /** Lets go of a statement that is not kept. */
  release(text: string, { id }: Prepared): void {
    if (text.length <= REMEMBERED_MAX_CHARACTERS) return;
    this.#closeStatement(id);
  }

  /** All rows of a statement of the driver's own; NULL is an empty text. */
  async rows(query: string, values: readonly Json[]): Promise<string[][]> {
    const rows: string[][] = [];
    let columns = 0;
    let bytes = 0;
    const sink: Sink = {
      columns: (found) => (columns = found.length),
      row: (reader) => {
        bytes += reader.left + ROW_BYTES;
        if (bytes > OWN_ROWS_MAX_BYTES) throw new Unreadable('an answer without an end');
        rows.push(textsOf(reader, columns));
      },
    };
    await this.execute(await this.prepare(query), values, sink, false);
    return rows;
  }

  /** One round trip. */
  async ping(): Promise<void> {
    await this.wire.send(command(Buffer.from([COMMAND.ping])));
  }

  /** Makes the session what every call finds. */
  async #setUp(): Promise<void> {
    for (const statement of sessionSettings(this.#recipe.mode)) await this.query(statement);
    // Servers that do not report changes are not asked to.
    await this.query('SET SESSION session_track_state_change = 1').catch(unlessRefused);
    this.wire.sessionChanged = false;
  }

  /** What a reset does not restore: the session's user and database, and its prepared statements. */
  async #identity(): Promise<string> {
    for (const query of IDENTITY) {
      const rows = await this.rows(query, []).catch(unlessRefused);
      if (rows) return JSON.stringify(rows);
    }
    return '';
  }

  /** Readies a new connection. @throws ServerError, ConnectionLost */
  async begin(): Promise<void> {
    await this.#setUp();
    this.#began = await this.#identity();
  }

  /**
   * Stops the statement under way: asks the server by another connection, then cuts this one. None
   * begins any more.
   */
  interrupt(): void {
    if (this.interrupted) return;
    this.interrupted = true;
    this.wire.stop();
    let isCutBusy = false;
    void kill(this.#recipe, this.#threadId, {
      isBusy: () => !this.wire.idle,
      isCutBusy: () => isCutBusy,
    });
    setTimeout(() => {
      isCutBusy = !this.wire.idle;
      this.cut();
    }, CANCEL_MS).unref();
  }

  /** As `interrupt`, and reads nothing more of what is too large, unless the end of a change is to be heard. */
  drop(): void {
    this.interrupt();
    if (!this.wire.uncertain) this.cut();
  }

  /** Forgets all that calls have set. Answers false when the connection cannot be used again. */
  async reset(): Promise<boolean> {
    const timer = setTimeout(() => this.cut(), RESET_MS);
    try {
      // Servers before MySQL 5.7 and MariaDB 10.2 do not know it: then the connection is ended.
      await this.wire.send(command(Buffer.from([COMMAND.reset])));
      this.#prepared.clear();
      this.tablesLocked = false;
      this.share = undefined;
      await this.#setUp();
      return (await this.#identity()) === this.#began;
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  failureOf(cause: unknown, mode: Mode, signal: AbortSignal): unknown {
    if (cause instanceof ServerError && endsConnection(cause)) this.wire.lose(cause);
    return fromFailure(cause, { mode, uncertain: this.wire.uncertain, signal });
  }

  /** Ends it without a word. */
  cut(): void {
    this.wire.socket.destroy();
    this.wire.lose(new Error('cut'));
  }

  /** Says goodbye; answers when the server has let go of it, or after a second. */
  async close(): Promise<void> {
    this.inUse = true;
    const { socket } = this.wire;
    const isFree = this.wire.idle && !this.wire.lost;
    this.wire.lose(new Error('closed'));
    if (!isFree || !socket.writable) return this.cut();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_MS);
    socket.once('close', () => resolve());
    socket.end(command(Buffer.from([COMMAND.quit])));
    await promise;
    clearTimeout(timer);
    socket.destroy();
  }

  #closeStatement(id: number): void {
    const payload = Buffer.alloc(5);
    payload[0] = COMMAND.close;
    payload.writeUInt32LE(id, 1);
    this.wire.tell(command(payload));
  }
}

/**
 * Connects and logs in.
 * @throws GatewayError CONNECTION_FAILED, ADDRESS_REFUSED, SERVICE_UNAVAILABLE, the signal's reason
 */
export function connect(recipe: Recipe, signal: AbortSignal): Promise<Connection> {
  const { host, settings, route } = recipe;
  const connectBy = (limited: AbortSignal) =>
    connectByRoute(
      route,
      encryptionsOf(settings),
      limited,
      async (encryption) => {
        const loggedIn = await logIn(host, settings, encryption, limited);
        const connection = new Connection(recipe, loggedIn);
        await settledUp(connection, limited);
        return connection;
      },
      (error) => error instanceof TlsFailed || lacksTls(error),
    );
  return connectWithin(settings.connectTimeoutMs, signal, connectBy, connectFailure);
}

async function settledUp(connection: Connection, signal: AbortSignal): Promise<void> {
  const cut = () => connection.cut();
  signal.addEventListener('abort', cut, { once: true });
  try {
    await connection.begin();
  } catch (error) {
    connection.cut();
    if (!(error instanceof ServerError)) throw error;
    throw new GatewayError('CONNECTION_FAILED', 'The server refused the settings of a session', {
      cause: error,
    });
  } finally {
    signal.removeEventListener('abort', cut);
  }
}
