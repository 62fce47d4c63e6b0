/** Makes objects with tracing functions on a server, and sees by itself whether a statement runs them. */
import pg from 'pg';
import type { OwnServer } from '../postgres-server.ts';
import { type Column, standsIn } from './columns.ts';
import type { Plant, Touch } from './plant.ts';
import { CHANNEL, LOCK, SEED, tracerOf, type Variant } from './tracer.ts';

const OBJECTS = `
  CREATE ROLE plain LOGIN PASSWORD 'plain';
  CREATE SEQUENCE counter;
  GRANT ALL ON SEQUENCE counter TO plain;
  CREATE SCHEMA trap;
  CREATE LANGUAGE bare HANDLER plpgsql_call_handler;
  ALTER DATABASE postgres SET search_path = public, w;
  ALTER DATABASE postgres SET statement_timeout = '5s';
  ALTER DATABASE postgres SET parallel_setup_cost = 0;
  ALTER DATABASE postgres SET parallel_tuple_cost = 0;
  ALTER DATABASE postgres SET min_parallel_table_scan_size = 0;`;

/** Without event triggers, which would run for what is done here. */
const NEW_SCHEMA = `SET session_replication_role = replica; DROP SCHEMA IF EXISTS w CASCADE; CREATE SCHEMA w;
  GRANT ALL ON SCHEMA w TO plain; GRANT ALL ON SCHEMA public TO plain`;

/** An object that was made. */
export interface Planted {
  readonly plant: Plant;
  readonly variant: Variant;
  readonly touches: readonly Touch[];
  /** What was sent to make it. */
  readonly made: string;
}

/** Connections without the driver. */
export class Garden {
  readonly version: number;
  readonly outside: pg.Client;
  /** Of any session that listens. */
  readonly heard: string[] = [];
  /** Numbers that follow the seed. */
  readonly predictable: ReadonlySet<string>;
  readonly #control: pg.Client;
  readonly #url: string;
  #number = 0;

  private constructor(of: {
    url: string;
    version: number;
    outside: pg.Client;
    control: pg.Client;
    random: string[];
  }) {
    this.#url = of.url;
    this.version = of.version;
    this.outside = of.outside;
    this.#control = of.control;
    this.predictable = new Set(of.random);
  }

  static async on({ url }: OwnServer): Promise<Garden> {
    const outside = new pg.Client(url);
    await outside.connect();
    await outside.query(OBJECTS);
    const control = new pg.Client(url);
    await control.connect();
    const { rows } = await control.query(
      `SELECT current_setting('server_version_num')::int AS version FROM setseed(${SEED})`,
    );
    const random = await control.query('SELECT random()::text FROM generate_series(1, 50)');
    await outside.query(NEW_SCHEMA);
    const garden = new Garden({
      url,
      version: rows[0].version,
      outside,
      control,
      random: random.rows.map((row) => row.random),
    });
    outside.on('notification', ({ payload = '' }) => garden.heard.push(payload));
    await outside.query(`LISTEN ${CHANNEL}`);
    return garden;
  }

  /** Makes the object; undefined when the server does not take it with such a function. */
  async plant(plant: Plant, variant: Variant, column: Column): Promise<Planted | undefined> {
    this.#number += 1;
    const tracer = `tracer_${this.#number}`;
    const own = (text: string) =>
      text.replaceAll('TRACER', `w.${tracer}`).replace(/_N\b/g, `_${this.#number}`);
    const shape = {
      ...plant.shape,
      args: plant.shape.args.map(own),
      returns: own(plant.shape.returns),
    };
    const made = [own(plant.before ?? ''), tracerOf(`w.${tracer}`, shape, variant), own(plant.make)]
      .filter((each) => each !== '')
      .join(';\n');
    const maker = new pg.Client(this.#url);
    await maker.connect();
    try {
      // Settings cannot be set while several processes build an index.
      await maker.query('SET max_parallel_maintenance_workers = 0');
      await maker.query(made);
    } catch {
      return undefined;
    } finally {
      // What making it left goes with the session.
      await maker.end();
    }
    if (!(await standsIn(this.outside, column, tracer))) {
      throw new Error(`${plant.name}: the function does not stand in ${plant.column}`);
    }
    const touches = plant.touches.map((touch) => ({ ...touch, query: own(touch.query) }));
    return { plant, variant, touches, made };
  }

  /** Whether the server runs the function by that statement. */
  async runs({ plant }: Planted, touch: Touch): Promise<boolean> {
    // COPY from here would need another client.
    if (touch.input !== undefined) return false;
    const control = this.#control;
    await control.query(`BEGIN${plant.plain ? '; SET LOCAL SESSION AUTHORIZATION plain' : ''}`);
    await control.query(`${touch.query}; SET CONSTRAINTS ALL IMMEDIATE`).catch(() => {});
    await control.query('ROLLBACK');
    // The lock outlives the transaction. Some functions only seed, where locks cannot be taken.
    const { rows } = await control.query(
      `SELECT count(*)::int AS locks, random()::text FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND pid = pg_backend_pid()`,
    );
    await control.query('DISCARD ALL');
    await control.query('SELECT setseed(0.1)');
    return rows[0].locks > 0 || this.predictable.has(rows[0].random);
  }

  /** Waits for notifications that are under way, and forgets them. */
  async hear(): Promise<readonly string[]> {
    await this.outside.query('SELECT 1');
    return this.heard.splice(0);
  }

  /** Removes all objects. */
  async clear(): Promise<void> {
    await this.outside.query(NEW_SCHEMA);
  }

  async close(): Promise<void> {
    await this.outside.end();
    await this.#control.end();
  }
}
