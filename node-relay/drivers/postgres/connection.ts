/** One connection to a PostgreSQL server: made, cancelled, reset and ended within bounds. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { Client, DatabaseError } from 'pg';
import type { Statement } from '../../../dialects/postgres/ask.ts';
import type { FieldValue } from '../../../dialects/postgres/encode.ts';
import type { Settings } from '../../../dialects/postgres/settings.ts';
import type { Mode } from '../../../proto/driver.ts';
import { connectByRoute, connectWithin, type Route } from '../connect.ts';
import type { Host } from '../driver.ts';
import type { Lendable } from '../lend.ts';
import { TlsFailed } from '../tls-socket.ts';
import { connectFailure, endsConnection, fromFailure } from './errors.ts';
import { statementMessages } from './messages.ts';
import { type Encryption, encryptionsOf, openSocket, sendCancel } from './socket.ts';
import { Wire } from './wire.ts';

/** Milliseconds from a cancel until the connection is cut. */
const CANCEL_MS = 2_000;
/** Milliseconds that a reset may take, in which nobody waits for it. */
const RESET_MS = 5_000;
/** Milliseconds for the goodbye. */
const CLOSE_MS = 1_000;

/** Make every value's text the same on every server. They stand last, so nothing overrides them. */
const SESSION: readonly (readonly [string, string])[] = [
  ['DateStyle', 'ISO'],
  ['IntervalStyle', 'postgres'],
  ['TimeZone', 'UTC'],
  ['extra_float_digits', '1'],
  ['bytea_output', 'hex'],
  ['array_nulls', 'on'],
  // The guard reads statements by these rules.
  ['standard_conforming_strings', 'on'],
];
const READ_ONLY = ['default_transaction_read_only', 'on'] as const;

const CATALOG_ONLY: Statement = {
  text: "SELECT pg_catalog.set_config('search_path', 'pg_catalog', true)",
};

/** What poolers answer to a startup parameter that they do not know. */
const OPTIONS_REFUSED = '08P01';

interface StartupRoute extends Route<Encryption> {
  /** The server takes session settings at startup, as it should; poolers may not. */
  startupSettings: boolean;
}

/** What a connection needs to be made. */
export interface Recipe {
  readonly host: Host;
  readonly settings: Settings;
  readonly mode: Mode;
  readonly route: StartupRoute;
}

/** node-postgres's client with our startup message, so that no `PG*` variable of the relay reaches it. */
class StartupClient extends Client {
  startup: Record<string, string> = {};

  getStartupConf(): Record<string, string> {
    return this.startup;
  }
}

/** An open connection; `wire` speaks on it. */
export class Connection implements Lendable {
  readonly wire: Wire;
  /** Statements to send ahead of each other one, in its transaction; empty when the session has its settings. */
  readonly preamble: readonly Statement[];
  /** The same without what makes a transaction read-only. */
  readonly settings: readonly Statement[];
  /** Transactions are read-only unless they say otherwise. */
  readonly readOnly: boolean;
  /** A call was stopped on it: what it still does must not meet the next caller. */
  interrupted = false;
  /** A call since the last reset may have given names another meaning: a search path, a role, temporary objects. */
  altered = false;
  /** It has served a call before. */
  reused = false;
  /** A call has it; else the pool does. */
  inUse = true;
  readonly #client: StartupClient;
  readonly #open: (signal: AbortSignal) => Promise<Socket>;

  constructor(
    client: StartupClient,
    recipe: Recipe,
    open: (signal: AbortSignal) => Promise<Socket>,
  ) {
    this.#client = client;
    this.#open = open;
    this.wire = new Wire(client);
    this.readOnly = recipe.mode === 'read' && recipe.route.startupSettings;
    const local = (mode: Mode) => localSettings({ ...recipe, mode });
    this.preamble = recipe.route.startupSettings ? [] : [local(recipe.mode)];
    this.settings = recipe.route.startupSettings ? [] : [local('write')];
  }

  /** All rows of a statement of the driver's own; `held` leaves the implicit transaction open. */
  async rows(statement: Statement, held = false): Promise<(readonly FieldValue[])[]> {
    const rows: (readonly FieldValue[])[] = [];
    await this.wire.exchange({
      bytes: statementMessages([statement], held ? 'flush' : 'sync'),
      until: held ? 'complete' : 'ready',
      sink: { row: (values) => rows.push(values) },
    });
    return rows;
  }

  /** Rows of a query over the catalog, whatever the session's search path. */
  async catalogRows(statement: Statement): Promise<(readonly FieldValue[])[]> {
    // In an open transaction a local setting would stay until its end.
    const before = this.wire.idle ? [CATALOG_ONLY] : [];
    const rows: (readonly FieldValue[])[] = [];
    await this.wire.exchange({
      bytes: statementMessages([...before, statement], 'sync'),
      until: 'ready',
      main: before.length,
      sink: { row: (values) => rows.push(values) },
    });
    return rows;
  }

  /** Stops the statement under way: asks the server, then cuts the connection. */
  interrupt(): void {
    if (this.interrupted) return;
    this.interrupted = true;
    const { processID, secretKey } = this.#client as unknown as {
      processID: number;
      secretKey: number;
    }; // Not in the types.
    const signal = AbortSignal.timeout(CANCEL_MS);
    void sendCancel(this.#open, { processId: processID, secret: secretKey }, signal);
    setTimeout(() => this.cut(), CANCEL_MS).unref();
  }

  /** Forgets all that calls have set. Answers false when the connection cannot be used again. */
  async reset(): Promise<boolean> {
    const timer = setTimeout(() => this.cut(), RESET_MS);
    try {
      await this.rows({ text: 'DISCARD ALL' });
      this.altered = false;
      return true;
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  failureOf(cause: unknown, mode: Mode, signal: AbortSignal): unknown {
    if (cause instanceof DatabaseError && endsConnection(cause)) this.wire.lose(cause);
    return fromFailure(cause, { mode, uncertain: this.wire.uncertain, signal });
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

/**
 * Connects and logs in.
 * @throws GatewayError CONNECTION_FAILED, ADDRESS_REFUSED, INVALID_CONFIGURATION, SERVICE_UNAVAILABLE, the signal's reason
 */
export function connect(recipe: Recipe, signal: AbortSignal): Promise<Connection> {
  const { settings, route } = recipe;
  const connectBy = (limited: AbortSignal) =>
    connectByRoute(
      route,
      encryptionsOf(settings),
      limited,
      (encryption) => logInEitherWay(recipe, encryption, limited),
      (error) => error instanceof TlsFailed || isRefusedByRule(error),
    );
  return connectWithin(settings.connectTimeoutMs, signal, connectBy, connectFailure);
}

/** With the session's settings at startup, else, from now on, without. */
async function logInEitherWay(
  recipe: Recipe,
  encryption: Encryption,
  signal: AbortSignal,
): Promise<Connection> {
  const { route } = recipe;
  try {
    return await logIn(recipe, encryption, signal);
  } catch (error) {
    const isRefused = error instanceof DatabaseError && error.code === OPTIONS_REFUSED;
    if (!isRefused || !route.startupSettings) throw error;
    route.startupSettings = false;
    return logIn(recipe, encryption, signal);
  }
}

/** The server's access rules tell connections with TLS from those without. */
function isRefusedByRule(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '28000';
}

async function logIn(
  recipe: Recipe,
  encryption: Encryption,
  signal: AbortSignal,
): Promise<Connection> {
  const { host, settings, route } = recipe;
  const open = (within: AbortSignal) => openSocket(host, settings, encryption, within);
  const socket = await open(signal);
  const client = new StartupClient({
    stream: () => alreadyConnected(socket),
    host: settings.host,
    port: settings.port,
    user: settings.user,
    database: settings.database,
    // A function, so that an empty password sends nobody to a password file.
    password: () => settings.password,
    ssl: false,
    sslnegotiation: 'postgres',
    client_encoding: 'utf8',
    enableChannelBinding: socket instanceof TLSSocket,
  });
  client.startup = {
    user: settings.user,
    database: settings.database,
    application_name: settings.applicationName,
    ...(route.startupSettings ? { options: startupOptions(recipe) } : {}),
  };
  // The wire listens once the login is over; until then `connect` rejects.
  client.on('error', () => {});
  const destroy = () => socket.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  try {
    await client.connect();
    return new Connection(client, recipe, open);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', destroy);
  }
}

/** node-postgres connects its stream itself; this one is, so it is told so. */
function alreadyConnected(socket: Socket): Socket {
  const told = () => {
    process.nextTick(() => socket.emit('connect'));
    return socket;
  };
  return Object.assign(socket, { connect: told });
}

function sessionOf({ settings, mode }: Recipe): readonly (readonly [string, string])[] {
  return [...settings.sessionSettings, ...SESSION, ...(mode === 'read' ? [READ_ONLY] : [])];
}

function startupOptions(recipe: Recipe): string {
  return sessionOf(recipe)
    .map(([name, value]) => `-c ${name}=${value.replace(/[\\\s]/g, '\\$&')}`)
    .join(' ');
}

/** The session's settings for one transaction, where the server did not take them at startup. */
function localSettings(recipe: Recipe): Statement {
  const settings = sessionOf(recipe).map(([name, value]) =>
    name === READ_ONLY[0] ? ['transaction_read_only', value] : [name, value],
  );
  const calls = settings.map(
    (_, at) => `pg_catalog.set_config($${2 * at + 1}, $${2 * at + 2}, true)`,
  );
  return {
    text: `SELECT ${calls.join(', ')}`,
    values: settings.flatMap(([name = '', value = '']) => [name, value]),
  };
}
