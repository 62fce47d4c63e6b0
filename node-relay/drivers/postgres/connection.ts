/** One connection to a PostgreSQL server: greeted, cancelled, reset and ended within bounds. */
import type { Socket } from 'node:net';
import { Client, type ClientConfig, DatabaseError } from 'pg';
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import type { FieldValue } from '../../../kinds/postgres/dialect/encode.ts';
import { isUtf8Name } from '../../../kinds/postgres/dialect/encoding-name.ts';
import type { Settings } from '../../../kinds/postgres/dialect/settings.ts';
import type { Mode } from '../../../proto/driver.ts';
import { CANCEL_MS, cancelWhile } from '../cancel.ts';
import type { Route } from '../connect.ts';
import type { Host } from '../driver.ts';
import type { Lendable } from '../lender.ts';
import { endsConnection, fromFailure } from './errors.ts';
import type { IncomingConnection } from './incoming.ts';
import { statementMessages } from './messages.ts';
import { OwnRows } from './own-rows.ts';
import { CATALOG_ONLY, greeting, localSettings, resetStatements } from './session-settings.ts';
import { type Encryption, sendCancel } from './socket.ts';
import { Wire } from './wire.ts';

/** Milliseconds that a reset may take; no caller waits for it. */
const RESET_MS = 5_000;
/** Milliseconds for the goodbye. */
const CLOSE_MS = 1_000;

interface StartupRoute extends Route<Encryption> {
  /** The server takes session settings at startup, as it should; poolers may not. */
  startupSettings: boolean;
  /** A connection of this route was served by several processes. */
  pooled?: boolean;
}

/** What a connection needs to be made. */
export interface Recipe {
  readonly host: Host;
  readonly settings: Settings;
  readonly mode: Mode;
  readonly route: StartupRoute;
}

/** node-postgres's client with our startup message, so that no `PG*` variable of the relay reaches it. */
export class StartupClient extends Client {
  /** What reads its server's messages. */
  readonly incoming: IncomingConnection;
  startup: Record<string, string> = {};
  /** As the server last told. */
  superuser = false;
  encoding = 'UTF8';

  constructor(incoming: IncomingConnection, config: ClientConfig) {
    // Not in the types: a connection that is there already.
    super({ ...config, connection: incoming } as ClientConfig);
    this.incoming = incoming;
  }

  getStartupConf(): Record<string, string> {
    return this.startup;
  }
}

/** What names a connection in a request to cancel it. */
interface CancelKey {
  readonly processID: number | null;
  readonly secretKey: number | null;
}

/** An open connection; `wire` speaks on it. */
export class Connection implements Lendable {
  readonly wire: Wire;
  /** Statements to send ahead of each other one, in its transaction; empty when the session has its settings. */
  preamble: readonly Statement[];
  /** The same without what makes a transaction read-only. */
  settings: readonly Statement[];
  /** Transactions are read-only unless they say otherwise. */
  readOnly: boolean;
  /** A pooler in transaction mode is in front of the server: each transaction may meet another session. Contract §6. */
  pooled = false;
  /** A call was stopped on it: what it still does must not meet the next caller. */
  interrupted = false;
  /** A call since the last reset may have given names another meaning: a search path, a role, temporary objects. */
  altered = false;
  /** What ran since the last reset may have left more in the session than what sequences gave. */
  suspect = true;
  /** It has served a call before. */
  reused = false;
  /** As `Lendable`. */
  mayKeep: Lendable['mayKeep'] = false;
  /** A call has it; else the pool does. */
  inUse = true;
  heardAt = performance.now();
  readonly #client: StartupClient;
  readonly #recipe: Recipe;
  readonly #open: (signal: AbortSignal) => Promise<Socket>;

  constructor(
    client: StartupClient,
    recipe: Recipe,
    open: (signal: AbortSignal) => Promise<Socket>,
  ) {
    this.#client = client;
    this.#recipe = recipe;
    this.#open = open;
    this.wire = new Wire(client);
    this.readOnly = recipe.mode === 'read' && recipe.route.startupSettings;
    const local = (mode: Mode) => localSettings({ ...recipe, mode });
    this.preamble = recipe.route.startupSettings ? [] : [local(recipe.mode)];
    this.settings = recipe.route.startupSettings ? [] : [local('write')];
  }

  /** Learns whether the session is its own, and limits it then. Once, before anything else. */
  async greet(): Promise<void> {
    const { processID } = this.#key;
    const [row] = await this.rows(greeting(this.#recipe, processID ?? 0));
    if (Number(row?.[0]) !== processID || this.#recipe.route.pooled) {
      this.pooled = true;
      this.readOnly = false;
      this.preamble = [localSettings(this.#recipe)];
      this.settings = [localSettings({ ...this.#recipe, mode: 'write' })];
    }
    // A setting that the server refuses is found now, not by a call.
    for (const statement of this.preamble) await this.rows(statement);
  }

  /** Whether texts travel as UTF-8, as they are read and written here: a caller's statement may have changed it. */
  get isUtf8(): boolean {
    return isUtf8Name(this.#client.encoding);
  }

  /** Not in the types. */
  get #key(): CancelKey {
    return this.#client as unknown as CancelKey;
  }

  /** All rows of a statement of the driver's own; `held` leaves the implicit transaction open. */
  async rows(statement: Statement, held = false): Promise<(readonly FieldValue[])[]> {
    const own = new OwnRows();
    await this.wire.exchange({
      bytes: statementMessages([statement], held ? 'flush' : 'sync'),
      until: held ? 'complete' : 'ready',
      sink: own,
    });
    return own.rows;
  }

  /** Rows of a query over the catalog, whatever the session's search path. */
  async catalogRows(statement: Statement): Promise<(readonly FieldValue[])[]> {
    // In an open transaction a local setting would stay until its end.
    return this.#last(this.wire.idle ? [CATALOG_ONLY, statement] : [statement]);
  }

  /** Rows of the last of some statements, in one exchange. */
  async #last(statements: readonly Statement[]): Promise<(readonly FieldValue[])[]> {
    const own = new OwnRows();
    await this.wire.exchange({
      bytes: statementMessages(statements, 'sync'),
      until: 'ready',
      main: statements.length - 1,
      sink: own,
    });
    return own.rows;
  }

  /** Stops the statement under way: asks the server, then cuts the connection. None begins any more. */
  interrupt(): void {
    if (this.interrupted) return;
    this.interrupted = true;
    this.wire.stop();
    this.#client.incoming.frames.leaveRows();
    void cancelWhile(
      () => this.wire.busy,
      () => this.#cancel(),
    );
    setTimeout(() => {
      const { busy } = this.wire;
      this.cut();
      // A server that was not heard goes on without its caller.
      if (busy) void this.#cancel();
    }, CANCEL_MS).unref();
  }

  #cancel(): Promise<void> {
    const { processID, secretKey } = this.#key;
    const key = { processId: processID ?? 0, secret: secretKey ?? 0 };
    return sendCancel(this.#open, key, AbortSignal.timeout(CANCEL_MS));
  }

  /** As `interrupt`, and reads nothing more of what is too large, unless the end of a change is to be heard. */
  drop(): void {
    this.interrupt();
    if (!this.wire.uncertain) this.cut();
  }

  /** Forgets all that calls have set. Answers false when the connection cannot be used again. */
  async reset(): Promise<boolean> {
    const found = await this.clear();
    const { suspect } = this;
    this.suspect = true;
    return found === 'clean' || (found === 'lasting' && !suspect);
  }

  /** Clears what statements clear, and answers whether what was run may have left something beyond that. */
  async clear(): Promise<'clean' | 'lasting' | 'unusable'> {
    this.altered = false;
    // What ran there has set nothing, and a reset would reach another caller's session.
    if (this.pooled) return 'clean';
    const timer = setTimeout(() => this.cut(), RESET_MS);
    try {
      const { processID } = this.#key;
      const statements = resetStatements(this.#recipe, this.#client.superuser);
      const [row] = await this.#last(statements);
      if (Number(row?.[0]) !== processID) {
        this.#recipe.route.pooled = true;
        return 'unusable';
      }
      return row?.[1] === 'f' ? 'clean' : 'lasting';
    } catch {
      return 'unusable';
    } finally {
      clearTimeout(timer);
    }
  }

  failureOf(cause: unknown, mode: Mode, signal: AbortSignal): unknown {
    if (cause instanceof DatabaseError && endsConnection(cause)) this.wire.lose(cause);
    const { mayKeep, wire } = this;
    const { uncertain } = wire;
    return fromFailure(cause, { mode, uncertain, signal, mayKeep: mayKeep === true });
  }

  /** Ends it without a word. */
  cut(): void {
    this.#client.connection.stream.destroy();
    this.wire.lose(new Error('cut'));
  }

  /** Says goodbye; answers when the server has let go of it, or after a second. */
  async close(): Promise<void> {
    this.inUse = true;
    const timer = setTimeout(() => this.cut(), CLOSE_MS);
    this.wire.lose(new Error('closed'));
    try {
      await this.#client.end();
    } catch {
      this.cut();
    } finally {
      clearTimeout(timer);
    }
  }
}
