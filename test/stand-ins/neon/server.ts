/** A stand-in for Neon's HTTP endpoint: the vendor's wire protocol in front of a real PostgreSQL. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { answerOf, type Batch, beginOf, errorBody, type Query } from './protocol.ts';

/** What a test makes of the next request instead of answering it. */
export type Fault =
  | { readonly status: number; readonly body: string }
  /** The statements run, and nobody is told. */
  | 'drop-after'
  /** Nothing runs. */
  | 'drop-before'
  /** The reply waits for so many milliseconds. */
  | { readonly delayMs: number };

/** A request as it came. */
interface Seen {
  readonly headers: IncomingMessage['headers'];
  readonly body: Query | Batch;
}

/** A running stand-in. */
export class NeonStandIn {
  /** All requests so far: trips can be counted. */
  readonly seen: Seen[] = [];
  /** Takes batches for ordinary ones, as a proxy could. */
  ignoresReadOnly = false;
  /** Most bytes of a reply; a batch of more is undone. Source: Neon's proxy, `max_response_size_bytes`. */
  replyMaxBytes = 10 * 1024 * 1024;
  /** Faults of the next requests, in their order. */
  readonly faults: Fault[] = [];
  readonly #server: Server;
  readonly #target: { host: string; port: number };
  readonly #idle = new Map<string, pg.Client[]>();

  private constructor(target: URL) {
    this.#target = { host: target.hostname, port: Number(target.port) };
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  /** Is in front of the server that a URL names. */
  static async start(targetUrl: string): Promise<NeonStandIn> {
    const standIn = new NeonStandIn(new URL(targetUrl));
    await new Promise<void>((resolve) => standIn.#server.listen(0, '127.0.0.1', resolve));
    return standIn;
  }

  /** A connection URL of the server behind it, by way of the stand-in over plain HTTP. */
  url(targetUrl: string): string {
    const url = new URL(targetUrl);
    const { port } = this.#server.address() as AddressInfo; // It listens on a port.
    url.host = `127.0.0.1:${port}`;
    url.searchParams.set('sslmode', 'disable');
    return url.href;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await this.release();
  }

  /** Ends all idle connections to the server. */
  async release(): Promise<void> {
    const clients = [...this.#idle.values()].flat();
    this.#idle.clear();
    await Promise.all(clients.map((client) => client.end()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST' || request.url !== '/sql') return send(response, 404, {});
    const body = JSON.parse(await text(request)) as Query | Batch; // What the driver sends.
    this.seen.push({ headers: request.headers, body });
    const fault = this.faults.shift();
    if (fault === 'drop-before') return void response.destroy();
    if (typeof fault === 'object' && 'status' in fault) {
      response.writeHead(fault.status, { 'content-type': 'application/json' }).end(fault.body);
      return;
    }
    const [status, reply] = await this.#answer(request.headers, body);
    if (fault === 'drop-after') return void response.destroy();
    if (fault) await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    send(response, status, reply);
  }

  async #answer(
    headers: IncomingMessage['headers'],
    body: Query | Batch,
  ): Promise<[number, object]> {
    const connection = String(headers['neon-connection-string'] ?? '');
    let client: pg.Client;
    try {
      client = await this.#connect(connection);
    } catch (error) {
      return [400, errorBody(error)];
    }
    try {
      const raw = headers['neon-raw-text-output'] === 'true';
      const asArray = headers['neon-array-mode'] === 'true';
      const form = { raw, asArray };
      if (!('queries' in body)) {
        const answer = await answerOf(client, body, form);
        this.#release(connection, client);
        return [200, answer];
      }
      await client.query(this.ignoresReadOnly ? 'BEGIN' : beginOf(headers));
      const results: object[] = [];
      for (const query of body.queries) {
        const answer = await answerOf(client, query, form);
        if (JSON.stringify(answer).length > this.replyMaxBytes) {
          await client.query('ROLLBACK');
          this.#release(connection, client);
          return [507, tooLarge(this.replyMaxBytes)];
        }
        results.push(answer);
      }
      await client.query('COMMIT');
      this.#release(connection, client);
      return [200, { results }];
    } catch (error) {
      await client.end().catch(() => {});
      return [400, errorBody(error)];
    }
  }

  async #connect(connection: string): Promise<pg.Client> {
    const kept = this.#idle.get(connection)?.pop();
    if (kept) return kept;
    const { username, password, pathname } = new URL(connection);
    const client = new pg.Client({
      ...this.#target,
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: decodeURIComponent(pathname.slice(1)),
    });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  #release(connection: string, client: pg.Client): void {
    const idle = this.#idle.get(connection) ?? [];
    idle.push(client);
    this.#idle.set(connection, idle);
  }
}

function tooLarge(max: number): object {
  return errorBody(new Error(`response is too large (max is ${max} bytes)`));
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
