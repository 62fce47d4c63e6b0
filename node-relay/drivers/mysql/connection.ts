/** One connection to a MySQL server: made, cancelled, reset and ended within bounds. */

import { ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import type { Settings } from '../../../kinds/mysql/dialect/settings.ts';
import type { Mode } from '../../../proto/driver.ts';
import { type ErrorCode, GatewayError, outcomeUnknown } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { CANCEL_MS } from '../cancel.ts';
import { connectByRoute, connectWithin, type Route } from '../connect.ts';
import type { Host } from '../driver.ts';
import type { Lendable } from '../lender.ts';
import { stoppedInside } from '../loss.ts';
import { TlsFailed } from '../tls-socket.ts';
import { connectFailure, endsConnection, fromFailure, saysNothingChanged } from './errors.ts';
import type { Companions, Prepared, Sink } from './exchange.ts';
import { KeptStatements } from './kept-statements.ts';
import { kill } from './kill.ts';
import { LeftOpen } from './left-open.ts';
import { type Encryption, encryptionsOf, type LoggedIn, lacksTls, logIn } from './login.ts';
import { together } from './one-piece.ts';
import { OwnRows } from './own-rows.ts';
import { COMMAND, command, type Outcome, textCommand } from './packets.ts';
import { executeCommand } from './parameters.ts';
import { IDENTITY, sessionSettings } from './session.ts';
import { areTablesTransactional, type Named } from './undone.ts';
import { Wire } from './wire.ts';

/** Milliseconds that a reset may take; no caller waits for it. */
const RESET_MS = 5_000;
/** Milliseconds for the goodbye. */
const CLOSE_MS = 1_000;

/** What a connection needs to be made. */
export interface Recipe {
  readonly host: Host;
  readonly settings: Settings;
  readonly mode: Mode;
  readonly route: Route<Encryption>;
}

/** Servers of other versions lack what is asked for. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof ServerError)) throw error;
}

/** What each of them answers, sent once the one before is answered. */
async function inTurn(sends: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const send of sends) answers.push(await send());
  return answers;
}

/** An open connection; `wire` speaks on it. */
export class Connection implements Lendable {
  readonly wire: Wire;
  readonly statements: KeptStatements;
  /** Since 10.5, which says so in its columns. */
  readonly isMariadb: boolean;
  /** Transactions are read-only unless they say otherwise. */
  readonly readOnly: boolean;
  /** A call was stopped on it: what it still does must not meet the next caller. */
  interrupted = false;
  /** It has served a call before. */
  reused = false;
  /** As `Lendable`. */
  mayKeep: Lendable['mayKeep'] = false;
  /** What each statement names that its call has sent. */
  readonly named = new Set<Named>();
  /** The statement by which a caller who holds it has chosen a schema. */
  used: string | undefined;
  /** A call has it; else the pool does. */
  inUse = true;
  heardAt = performance.now();
  /** LOCK TABLES of its lease may be in force. */
  tablesLocked = false;
  /** Name of the share of a transaction that is worked on, or was prepared, on it. */
  share: string | undefined;
  /** The level of its session, once a share has begun on it since it was reset. */
  level: string | undefined;
  readonly #leftOpen = new LeftOpen();
  readonly #recipe: Recipe;
  readonly #threadId: number;
  #began = '';
  /** What asks for it; undefined of servers that know none of them. */
  #question: string | undefined;

  constructor(recipe: Recipe, { socket, threadId, extendedColumns }: LoggedIn) {
    this.#recipe = recipe;
    this.#threadId = threadId;
    this.readOnly = recipe.mode === 'read';
    this.wire = new Wire(socket, extendedColumns);
    this.statements = new KeptStatements(this.wire);
    this.isMariadb = extendedColumns;
  }

  /** Runs a statement in the text form. */
  query(text: string, sink: Sink = {}, commits = false, around?: Companions): Promise<Outcome> {
    return this.wire.send(textCommand(COMMAND.query, text), sink, commits, around);
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

  /** All rows of a statement of the driver's own; NULL is an empty text. */
  async rows(query: string, values: readonly Json[]): Promise<string[][]> {
    const sink = new OwnRows('binary');
    await this.execute(await this.statements.prepare(query), values, sink, false);
    return sink.rows;
  }

  /** As `rows`, of a question that is sent at once and has no values; none of its own may be NULL. */
  async texts(query: string): Promise<string[][]> {
    const sink = new OwnRows('text');
    await this.query(query, sink);
    return sink.rows;
  }

  /** One round trip. */
  async ping(): Promise<void> {
    await this.wire.send(command(Buffer.from([COMMAND.ping])));
  }

  /** What makes the session what every call finds. Servers that do not report changes are not asked to. */
  #settings(): (() => Promise<unknown>)[] {
    return [
      ...sessionSettings(this.#recipe.mode).map((text) => () => this.query(text)),
      () => this.query('SET SESSION session_track_state_change = 1').catch(unlessRefused),
    ];
  }

  /** What a reset does not restore: the session's user and database, and its prepared statements. */
  async #identity(): Promise<string> {
    return this.#question === undefined ? '' : JSON.stringify(await this.texts(this.#question));
  }

  /** By the first question that the server knows. */
  async #firstIdentity(): Promise<string> {
    for (const question of IDENTITY) {
      const rows = await this.texts(question).catch(unlessRefused);
      if (rows === undefined) continue;
      this.#question = question;
      return JSON.stringify(rows);
    }
    return '';
  }

  /** Readies a new connection. @throws ServerError, ConnectionLost */
  async begin(): Promise<void> {
    for (const send of this.#settings()) await send();
    this.wire.sessionChanged = false;
    this.#began = await this.#firstIdentity();
  }

  /** Stops the statement under way: asks the server by another connection, then cuts this one. None begins any more. */
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
      if (!(await this.#leftOpen.undo(this))) return false;
      // Servers before MySQL 5.7 and MariaDB 10.2 do not know it: then the connection is ended.
      const reset = () => this.wire.send(command(Buffer.from([COMMAND.reset])));
      const sends = [reset, ...this.#settings(), () => this.#identity()];
      this.statements.clear();
      // What proxies make of several commands at once is not known; none passes on shares.
      const answers =
        this.share === undefined
          ? await inTurn(sends)
          : await together(this.wire, () => sends.map((send) => send()));
      this.tablesLocked = false;
      this.share = undefined;
      this.level = undefined;
      this.wire.sessionChanged = false;
      return answers.at(-1) === this.#began;
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Takes back what a share has set by its driver, and no more. Answers false when that takes a reset. */
  async endShare(): Promise<boolean> {
    if (this.share === undefined || this.wire.sessionChanged) return false;
    await together(this.wire, () => [
      this.texts(`SELECT COALESCE(CAST(RELEASE_LOCK('${this.share}') AS CHAR), '')`),
      this.query('SET SESSION wait_timeout = DEFAULT, last_insert_id = 0, autocommit = 1'),
    ]);
    this.share = undefined;
    this.wire.sessionChanged = false;
    return true;
  }

  async failureOf(cause: unknown, mode: Mode, signal: AbortSignal): Promise<unknown> {
    if (cause instanceof ServerError) this.#leftOpen.note(cause);
    if (cause instanceof ServerError && endsConnection(cause)) this.wire.lose(cause);
    const failure = fromFailure(cause, { mode, uncertain: this.wire.uncertain, signal });
    if (mode === 'read' || !saysNothingChanged(failure) || !(await this.#keeps(failure.code))) {
      return failure;
    }
    const isLost = failure.code === 'CONNECTION_FAILED';
    return isLost ? outcomeUnknown(cause) : stoppedInside(cause, signal.aborted);
  }

  /** Whether a part of what was stopped may be kept. Of a server that is out of reach tables are taken to have transactions. */
  async #keeps(code: ErrorCode): Promise<boolean> {
    if (this.mayKeep !== 'without transactions') return this.mayKeep;
    const areTransactional = await areTablesTransactional(this.#recipe, this.named, this.used);
    return !(areTransactional ?? code === 'CONNECTION_FAILED');
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
