/** A stand-in for PlanetScale's HTTP interface: the vendor's wire protocol in front of a real MariaDB. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import { settingsOf } from '../../../kinds/mysql/dialect/settings.ts';
import type { Column } from '../../../kinds/mysql/dialect/types.ts';
import { type Connection, connect } from '../../../node-relay/drivers/mysql/connection.ts';
import type { Packet } from '../../../node-relay/drivers/mysql/packets.ts';
import { testHost } from '../../../node-relay/drivers/test/host.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { fieldOf } from './fields.ts';

/** What a test makes of the next request instead of answering it. */
export type Fault =
  | { readonly status: number; readonly body: string }
  /** The statement runs, and nobody is told. */
  | 'drop-after'
  /** Nothing runs. */
  | 'drop-before'
  /** The reply waits for so many milliseconds. */
  | { readonly delayMs: number };

/** What the driver sends. */
interface Execute {
  readonly query: string;
  readonly session: { readonly id: string } | null;
}

const NULL = 0xfb;
const HOST = testHost(1_000);

/** A running stand-in. */
export class PlanetScaleStandIn {
  /** All statements so far: trips can be counted. */
  readonly seen: string[] = [];
  /** Faults of the next requests, in their order. */
  readonly faults: Fault[] = [];
  /** Run ahead of each session's first statement. */
  prelude = '';
  readonly #server: Server;
  readonly #target: URL;
  /** Connections with an open transaction, by session. */
  readonly #held = new Map<string, Connection>();
  readonly #open = new Set<Connection>();
  /** Connections between statements, by who may use them: as new ones. */
  readonly #idle = new Map<string, Connection[]>();

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  /** Is in front of the server and database that a URL names. */
  static async start(targetUrl: string): Promise<PlanetScaleStandIn> {
    const standIn = new PlanetScaleStandIn(new URL(targetUrl));
    await new Promise<void>((resolve) => standIn.#server.listen(0, '127.0.0.1', resolve));
    return standIn;
  }

  /** A connection URL by way of the stand-in over plain HTTP. */
  get url(): string {
    const url = new URL(this.#target.href);
    const { port } = this.#server.address() as AddressInfo; // It listens on a port.
    url.host = `127.0.0.1:${port}`;
    url.searchParams.set('ssl-mode', 'DISABLED');
    return url.href;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await Promise.all([...this.#open].map((connection) => connection.close()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const body = JSON.parse(await text(request)) as Execute; // What the driver sends.
    if (path === '/psdb.v1alpha1.Database/CreateSession') {
      return send(response, 200, { session: { id: randomUUID() } });
    }
    if (request.method !== 'POST' || path !== '/psdb.v1alpha1.Database/Execute') {
      return send(response, 404, { code: 'not_found', message: path });
    }
    this.seen.push(body.query);
    const fault = this.faults.shift();
    if (fault === 'drop-before') return void response.destroy();
    if (typeof fault === 'object' && 'status' in fault) {
      response.writeHead(fault.status, { 'content-type': 'application/json' }).end(fault.body);
      return;
    }
    const [status, reply] = await this.#answer(request.headers.authorization ?? '', body);
    if (fault === 'drop-after') return void response.destroy();
    if (fault) await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    send(response, status, reply);
  }

  async #answer(authorization: string, { query, session }: Execute): Promise<[number, object]> {
    const id = session?.id ?? randomUUID();
    const told = { session: { id, signature: '…', vitessSession: {} } };
    let connection: Connection;
    try {
      connection = this.#held.get(id) ?? (await this.#connect(authorization));
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return [401, { code: 'unauthenticated', message: `no access for ${authorization}` }];
    }
    try {
      const result = await resultOf(connection, query);
      return [200, { ...told, result, timing: 0.001 }];
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      return [200, { ...told, error: vitessError(error, query) }];
    } finally {
      if (connection.wire.inTransaction) this.#held.set(id, connection);
      else await this.#end(id, authorization, connection);
    }
  }

  async #connect(authorization: string): Promise<Connection> {
    const kept = this.prelude === '' ? this.#idle.get(authorization)?.pop() : undefined;
    if (kept) return kept;
    const login = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString();
    const colon = login.indexOf(':');
    const url = new URL(this.#target.href);
    url.username = encodeURIComponent(login.slice(0, colon));
    url.password = encodeURIComponent(login.slice(colon + 1));
    const settings = settingsOf({ url: url.href });
    const recipe = { host: HOST, settings, mode: 'write', route: {} } as const;
    const connection = await connect(recipe, AbortSignal.timeout(10_000));
    this.#open.add(connection);
    if (this.prelude !== '') await connection.query(this.prelude);
    return connection;
  }

  async #end(id: string, authorization: string, connection: Connection): Promise<void> {
    this.#held.delete(id);
    if (this.prelude === '' && !connection.wire.lost && (await connection.reset())) {
      this.#idle.set(authorization, [...(this.#idle.get(authorization) ?? []), connection]);
      return;
    }
    this.#open.delete(connection);
    await connection.close();
  }
}

async function resultOf(connection: Connection, query: string): Promise<object> {
  let fields: readonly Column[] = [];
  const rows: object[] = [];
  const outcome = await connection.query(query, {
    columns: (found) => (fields = found),
    row: (reader) => rows.push(rowOf(reader, fields.length)),
  });
  return {
    ...(fields.length > 0 ? { fields: fields.map(fieldOf) } : {}),
    ...(rows.length > 0 ? { rows } : {}),
    // As protobuf writes 64 bits, and leaves zeroes out.
    ...(outcome.affected > 0n ? { rowsAffected: String(outcome.affected) } : {}),
    ...(outcome.insertId > 0n ? { insertId: String(outcome.insertId) } : {}),
  };
}

/** Lengths, -1 for NULL, and the bytes of all values in a row. */
function rowOf(reader: Packet, count: number): object {
  const lengths: string[] = [];
  const values: Buffer[] = [];
  for (let at = 0; at < count; at += 1) {
    if (reader.buffer[reader.at] === NULL) {
      reader.at += 1;
      lengths.push('-1');
      continue;
    }
    const length = reader.length();
    lengths.push(String(length));
    values.push(Buffer.from(reader.buffer.subarray(reader.at, reader.at + length)));
    reader.at += length;
  }
  const bytes = Buffer.concat(values);
  return { lengths, ...(bytes.length > 0 ? { values: bytes.toString('base64') } : {}) };
}

/** Codes of gRPC as Vitess gives them to the database's numbers. */
const CODES: { readonly [errno: number]: string } = {
  1062: 'ALREADY_EXISTS',
  1064: 'INVALID_ARGUMENT',
  1146: 'NOT_FOUND',
  1048: 'INVALID_ARGUMENT',
};

/** Source: messages of vttablet, with the statement and who sent it. */
function vitessError({ errno, sqlState, message }: ServerError, query: string): object {
  const code = CODES[errno] ?? 'UNKNOWN';
  const camel = code
    .toLowerCase()
    .replaceAll(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase());
  return {
    code,
    message: `target: shop.-.primary: vttablet: rpc error: code = ${camel} desc = ${message} (errno ${errno}) (sqlstate ${sqlState}) (CallerID: planetscale-admin): Sql: "${query.slice(0, 200)}", BindVars: {}`,
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
