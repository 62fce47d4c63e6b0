/** What functions could change, read or reach: made on a server of the proof's own. */
import pg from 'pg';
import type { OwnServer } from '../postgres-server.ts';
import type { Choices } from '../random.ts';
import { LARGE_OBJECT, specialCalls } from './special-calls.ts';

const OBJECTS = `
  CREATE TABLE items (id int PRIMARY KEY, name text);
  INSERT INTO items VALUES (1, 'one'), (2, 'two'), (3, 'three');
  CREATE TABLE documents (body tsvector);
  CREATE INDEX documents_body ON documents USING gin (body);
  CREATE TABLE bricks (id int);
  CREATE INDEX bricks_id ON bricks USING brin (id);
  INSERT INTO bricks SELECT generate_series(1, 1000);
  CREATE TYPE color AS ENUM ('red', 'green');
  CREATE TYPE textrange AS RANGE (SUBTYPE = text);
  CREATE SEQUENCE counter;
  CREATE MATERIALIZED VIEW kept AS SELECT count(*) FROM items;
  SELECT nextval('counter');
  SELECT lo_from_bytea(${LARGE_OBJECT}, 'large');
  SELECT pg_replication_origin_create('origin');
  SELECT pg_create_physical_replication_slot('slot', true);
  CREATE SCHEMA w;
  CREATE ROLE plain LOGIN PASSWORD 'plain';
  GRANT pg_monitor, pg_signal_backend, pg_read_server_files, pg_write_server_files, pg_execute_server_program TO plain;
  GRANT USAGE ON SCHEMA w TO plain;`;

/** Rights to call everything, for who is no superuser. */
const RIGHTS = 'GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pg_catalog, public TO plain';

/** Sessions and objects that functions could reach. */
export class World {
  /** As superuser, without the driver. */
  readonly outside: pg.Client;
  readonly url: string;
  /** Notifications that were heard. */
  readonly heard: string[] = [];
  /** What ended or stopped a victim. */
  readonly fallen: string[] = [];
  readonly #victim: pg.Client;
  readonly #pid: number;
  readonly #calls: Record<string, readonly (readonly string[])[]>;

  private constructor(server: OwnServer, clients: { outside: pg.Client; victim: pg.Client }) {
    this.outside = clients.outside;
    this.url = server.url;
    this.#victim = clients.victim;
    this.#pid = (clients.victim as unknown as { processID: number }).processID; // Not in the types.
    this.#calls = specialCalls({ pid: this.#pid, url: server.url, scratch: server.scratch });
  }

  /** Makes everything, and a victim that sleeps. */
  static async make(server: OwnServer): Promise<World> {
    const [outside, victim] = [new pg.Client(server.url), new pg.Client(server.url)];
    await outside.connect();
    await outside.query(OBJECTS);
    await outside.query('ALTER DATABASE postgres SET search_path = public, w');
    await outside.query("ALTER DATABASE postgres SET statement_timeout = '5s'");
    await outside.query('SET search_path = public, w; SET client_min_messages = error');
    await outside.query('CREATE TABLE pending (id int)');
    await outside.query("BEGIN; INSERT INTO pending VALUES (1); PREPARE TRANSACTION 'pending'");
    await victim.connect();
    const world = new World(server, { outside, victim });
    outside.on('notification', ({ channel, payload }) => world.heard.push(`${channel} ${payload}`));
    await outside.query('LISTEN news');
    victim.on('error', ({ message }) => world.fallen.push(message));
    await victim.query('SET statement_timeout = 0; SELECT pg_advisory_lock(778)');
    void victim
      .query('SELECT pg_sleep(86400)')
      .catch((error: Error) => world.fallen.push(error.message));
    return world;
  }

  /** Whole lists of arguments for a function of that name. */
  callsOf(name: string): readonly (readonly string[])[] {
    return this.#calls[name] ?? [];
  }

  /** A text that means something here, for a type whose values name things. */
  textOf(type: string, caller: string, choices: Choices): string | undefined {
    if (type === 'int4' && /backend|pid/.test(caller)) return String(this.#pid);
    switch (type) {
      case 'regclass':
        return choices.pick(['items', 'items', 'counter', 'items_pkey']);
      case 'name':
        return choices.pick(['items', 'public', 'slot', 'postgres']);
      case 'oid':
        return choices.pick([String(LARGE_OBJECT), '1259', '23', '10']);
      case 'text':
      case 'varchar':
        return choices.pick(['x', 'items', 'news', 'slot', 'origin', 'PG_VERSION', 'a b', '1']);
      default:
        return undefined;
    }
  }

  /** Makes objects, all or none; whether the server takes them. */
  async make(setup: readonly string[]): Promise<boolean> {
    if (setup.length === 0) return true;
    return this.outside.query(setup.join(';\n')).then(
      () => true,
      () => false,
    );
  }

  /** Removes what was made. */
  async forget(): Promise<void> {
    await this.outside.query(
      'DROP SCHEMA w CASCADE; CREATE SCHEMA w; GRANT USAGE ON SCHEMA w TO plain',
    );
  }

  /** To the role that is no superuser, of what there is by now. */
  async grantAll(): Promise<void> {
    await this.outside.query(RIGHTS);
  }

  /** Ends the sessions. */
  async close(): Promise<void> {
    this.#victim.removeAllListeners('error');
    this.#victim.on('error', () => {});
    await this.outside.query('SELECT pg_terminate_backend($1)', [this.#pid]).catch(() => {});
    await this.outside.end();
    await this.#victim.end().catch(() => {});
  }
}
