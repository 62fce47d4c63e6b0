/** A ClickHouse engine of a proof's own, asked past the driver, and all that could be left behind around it. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../server/ports.ts';
import { startClickhouse } from '../../servers/clickhouse-server.ts';

/** What is seen only where a file was read or a text was run. */
export const SIGN = 'TRIPWIRE';

/** What a server answers: its body, or its error's text. */
export interface Answer {
  readonly ok: boolean;
  readonly text: string;
}

/** Runs a statement on a server, past the driver. */
export function ask(url: string, statement: string, settings = ''): Promise<Answer> {
  const { hostname, port, username, password, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    const sending = request({
      hostname,
      port,
      method: 'POST',
      path: `/?database=${pathname.slice(1) || 'default'}${settings}`,
      headers: { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password },
    });
    sending.once('error', reject);
    sending.once('response', (reply) => {
      const pieces: Buffer[] = [];
      reply.on('data', (piece: Buffer) => pieces.push(piece));
      reply.once('error', reject);
      reply.once('end', () =>
        resolve({ ok: reply.statusCode === 200, text: Buffer.concat(pieces).toString() }),
      );
    });
    sending.end(statement);
  });
}

const SETUP = [
  'CREATE TABLE items (a String, id UInt32) ENGINE = MergeTree ORDER BY id',
  "INSERT INTO items VALUES ('one', 1), ('two', 2)",
  'CREATE VIEW plain AS SELECT a, id FROM items',
];

/** A server, a file that it could read, and a port that it could call. */
export class Engine {
  readonly url: string;
  /** It holds the sign alone. */
  readonly file: string;
  /** Connections to it are counted. */
  readonly port: number;
  /** Connections that reached the port. */
  called = 0;
  readonly #folder: string;
  readonly #data: string;
  readonly #trap: Server;
  readonly #stop: () => Promise<void>;

  private constructor(
    folder: string,
    url: string,
    trap: Server,
    port: number,
    stop: () => Promise<void>,
  ) {
    this.#folder = folder;
    this.#data = join(folder, 'outside', 'data');
    this.url = url;
    this.file = join(folder, 'outside', 'file');
    this.#trap = trap;
    this.port = port;
    this.#stop = stop;
    trap.on('connection', (socket) => {
      this.called += 1;
      socket.destroy();
    });
  }

  static async start(): Promise<Engine> {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-proof-clickhouse-'));
    const server = await startClickhouse({
      folder: join(folder, 'outside'),
      password: randomUUID(),
    });
    const port = await freePort('127.0.0.1');
    const trap = createServer();
    await new Promise<void>((resolve) => trap.listen(port, '127.0.0.1', resolve));
    const engine = new Engine(folder, server.url, trap, port, server.stop);
    await writeFile(engine.file, SIGN);
    for (const statement of SETUP) await engine.lines(statement);
    return engine;
  }

  /** @throws Error with the server's text */
  async lines(statement: string): Promise<string[][]> {
    const { ok, text } = await ask(this.url, statement);
    if (!ok) throw new Error(text);
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t'));
  }

  /** Everything that a read could leave behind, by what it is. */
  async digest(): Promise<ReadonlyMap<string, string>> {
    const found = new Map([['calls', String(this.called)]]);
    for (const statement of STATES) found.set(statement, (await ask(this.url, statement)).text);
    const entries = await readdir(this.#folder, { recursive: true, withFileTypes: true });
    for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
      const path = join(parentPath, name);
      // The engine's own folder is told by its tables.
      if (!path.startsWith(this.#data)) found.set(path, await readFile(path, 'base64'));
    }
    return found;
  }

  async stop(): Promise<void> {
    this.#trap.close();
    await this.#stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

const STATES = [
  'SELECT * FROM items ORDER BY id',
  "SELECT database, name, create_table_query, total_rows FROM system.tables WHERE database != 'system' ORDER BY ALL",
  'SELECT name, engine FROM system.databases ORDER BY name',
  "SELECT name FROM system.functions WHERE origin != 'System' ORDER BY name",
  "SELECT name, value FROM system.settings WHERE changed AND name != 'log_comment' ORDER BY name",
  'SELECT * FROM system.dictionaries',
  'SELECT database, table, command FROM system.mutations',
  'SELECT name, path FROM system.detached_tables ORDER BY ALL',
  'SELECT * FROM system.users',
  'SELECT * FROM system.grants',
  'SELECT name FROM system.named_collections',
  'SELECT name, rows FROM system.parts WHERE active ORDER BY name',
];
