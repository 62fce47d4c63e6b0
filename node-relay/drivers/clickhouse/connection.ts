/** One kept-alive connection to a ClickHouse server's HTTP interface: one request after another, each with an id to stop it by. */
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { GatheredBytes } from '../../../proto/gathered-bytes.ts';
import type { Host } from '../driver.ts';
import { replyTo } from '../http-reply.ts';
import { Gone, OneSocket } from '../one-socket.ts';
import { openSocket } from '../tls-socket.ts';
import { ServerFault } from './errors.ts';
import type { Settings } from './settings.ts';

/** Milliseconds that stopping a statement on the server may take. */
const KILL_MS = 2_000;
/** Milliseconds after which a statement that the server did not know yet is looked for again. */
const KILL_AGAIN_MS = 150;
/** Most of an error's text that is read, in bytes. */
const ERROR_MAX = 65_536;

/** What a connection needs to be made. */
export interface Recipe {
  readonly host: Host;
  readonly settings: Settings;
}

/** One request to the server. */
export interface Exchange {
  /** Of the URL, percent-encoded, without user and database. */
  readonly query: string;
  readonly body: Buffer | string;
  /** By which the server knows the statement. */
  readonly id: string;
}

/** An open connection. */
export class Connection {
  /** It has served a call before. */
  reused = false;
  /** A call has it; else the pool does. */
  inUse = true;
  /** Called once when the server or we close it. */
  onLost: (() => void) | undefined;
  readonly #recipe: Recipe;
  readonly #socket: Socket;
  readonly #agent: OneSocket;
  /** The statement under way. */
  #running: string | undefined;
  #killed: Promise<void> | undefined;

  constructor(recipe: Recipe, socket: Socket) {
    this.#recipe = recipe;
    this.#socket = socket;
    this.#agent = new OneSocket(socket);
    socket.once('close', () => this.onLost?.());
  }

  /** @throws GatewayError CONNECTION_FAILED, ADDRESS_REFUSED */
  static async open(recipe: Recipe, signal: AbortSignal): Promise<Connection> {
    return new Connection(
      recipe,
      await openSocket(recipe.host, recipe.settings, signal, ['http/1.1']),
    );
  }

  get lost(): boolean {
    return this.#socket.destroyed || !this.#socket.writable;
  }

  /** A call was stopped on it. */
  get interrupted(): boolean {
    return this.#killed !== undefined;
  }

  /**
   * Sends a request and answers the reply when its head has arrived, its body still to be read.
   * @throws ServerFault for a reply with an error, Gone, any other Error when the connection is lost
   */
  async exchange({ query, body, id }: Exchange): Promise<IncomingMessage> {
    const { settings } = this.#recipe;
    if (this.lost) throw new Gone('The connection is closed');
    this.#running = id;
    const sending = request({
      agent: this.#agent,
      method: 'POST',
      path: `/?query_id=${id}${databaseOf(settings)}${query}`,
      headers: { ...headersOf(settings), 'Content-Length': Buffer.byteLength(body) },
    });
    sending.end(body);
    const reply = await replyTo(sending);
    const code = reply.headers['x-clickhouse-exception-code'];
    if (reply.statusCode === 200 && code === undefined) return reply;
    const text = await beginning(reply);
    this.#running = undefined;
    throw ServerFault.ofReply(/^\d{1,6}$/.exec(String(code))?.[0], text);
  }

  /** The reply to the last request was read to its end. */
  ended(): void {
    this.#running = undefined;
  }

  /** Stops the statement under way: cuts the connection, and has the server kill it. */
  interrupt(): void {
    if (this.#killed !== undefined) return;
    const id = this.#running;
    this.cut();
    this.#killed = id === undefined ? Promise.resolve() : kill(this.#recipe, id);
  }

  /** Ends it without a word. */
  cut(): void {
    this.#socket.destroy();
  }

  /** Ends it; answers when the server has let go of what ran on it. */
  async close(): Promise<void> {
    this.inUse = true;
    this.#agent.destroy();
    this.#socket.destroy();
    await this.#killed;
  }
}

function databaseOf({ database }: Settings): string {
  return database === '' ? '' : `&database=${encodeURIComponent(database)}`;
}

function headersOf({ host, port, user, password, application }: Settings) {
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    Host: `${name}:${port}`,
    'User-Agent': application,
    'Content-Type': 'text/plain; charset=UTF-8',
    ...loginHeaders(user, password),
  };
}

/**
 * Headers of the server's own, which its function getClientHTTPHeader does not tell, as it does
 * `Authorization`. That carries what no header can hold as it is. Source: ClickHouse,
 * src/Interpreters/ClientInfo.cpp.
 */
function loginHeaders(user: string, password: string): { readonly [name: string]: string } {
  if ([user, password].every((text) => !/\p{Cc}|^ | $/u.test(text))) {
    const [name, key] = [user, password].map((text) => Buffer.from(text).toString('latin1'));
    return { 'X-ClickHouse-User': name ?? '', 'X-ClickHouse-Key': key ?? '' };
  }
  return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/** The beginning of a body; a server that sends more loses the connection. */
async function beginning(reply: IncomingMessage): Promise<string> {
  const gathered = new GatheredBytes();
  for await (const piece of reply as AsyncIterable<Buffer>) {
    gathered.add(piece.subarray(0, ERROR_MAX - gathered.length));
    if (gathered.length === ERROR_MAX) break;
  }
  return Buffer.from(gathered.take()).toString();
}

/** Beyond the pool's slots: the statement's own connection is gone, and its slot is free when this is over. */
async function kill(recipe: Recipe, id: string): Promise<void> {
  const signal = AbortSignal.timeout(KILL_MS);
  let connection: Connection | undefined;
  const cut = () => connection?.cut();
  signal.addEventListener('abort', cut, { once: true });
  try {
    connection = await Connection.open(recipe, signal);
    if (await killed(connection, id)) return;
    // It may have arrived after us.
    await new Promise((resolve) => setTimeout(resolve, KILL_AGAIN_MS));
    await killed(connection, id);
  } catch {
    // The server then ends it when it finds the connection closed, or at its own limit.
  } finally {
    signal.removeEventListener('abort', cut);
    await connection?.close();
  }
}

async function killed(connection: Connection, id: string): Promise<boolean> {
  const exchange = {
    query: '',
    body: `KILL QUERY WHERE query_id = '${id}' ASYNC`,
    id: crypto.randomUUID(),
  };
  const text = await beginning(await connection.exchange(exchange));
  connection.ended();
  return text !== '';
}
