/** The whole state that a read must leave as it was: of the server, its files and its other sessions. */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresClient } from '../../../node-relay/drivers/postgres/index.ts';
import { sql } from '../../../node-relay/drivers/postgres/test/database.ts';
import { callOf, jsonOf } from '../../../node-relay/drivers/test/host.ts';
import type { OwnServer } from '../postgres-server.ts';
import type { World } from './world.ts';

/** One digest or text for each part. */
type State = Readonly<Record<string, string>>;

/** Of each table a digest, system catalogs and large objects included; of each sequence where it is. */
const CONTENTS = `SELECT string_agg(format(
    CASE relkind WHEN 'S' THEN 'SELECT %L AS what, (SELECT format(''%%s %%s'', last_value, is_called) FROM %s) AS is'
    ELSE 'SELECT %L, (SELECT format(''%%s %%s'', count(*), sum(hashtextextended(t::text, 0))) FROM %s t)' END,
    c.oid::regclass, c.oid::regclass), ' UNION ALL ') AS query
  FROM pg_class c WHERE relkind IN ('r', 'S', 'm') AND relpersistence <> 't' AND relnamespace <> 'w'::regnamespace`;

/** What is not in tables. */
const SERVER = `SELECT
  (SELECT json_agg(x ORDER BY format('%s', x)) FROM (SELECT locktype, mode, granted, classid, objid, relation
    FROM pg_locks WHERE pid <> pg_backend_pid() AND locktype <> 'virtualxid') x) AS locks,
  (SELECT json_agg(x ORDER BY format('%s', x)) FROM (SELECT pid, usename, wait_event FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND application_name <> 'causeway' AND pid <> pg_backend_pid()) x) AS sessions,
  (SELECT json_agg(x ORDER BY slot_name) FROM (SELECT slot_name, plugin, active, restart_lsn, confirmed_flush_lsn FROM pg_replication_slots) x) AS slots,
  (SELECT json_agg(x ORDER BY format('%s', x)) FROM pg_replication_origin_status x) AS origins,
  (SELECT json_agg(x ORDER BY format('%s', x)) FROM pg_prepared_xacts x) AS prepared,
  format('%s', pg_conf_load_time()) AS loaded, format('%s', pg_postmaster_start_time()) AS started`;

/** What the next caller finds on the connection that a read was on; its locks and temporary objects are the server's to tell. */
const SESSION = 'SHOW ALL; SHOW role; SHOW session_authorization';

const READINGS = 40;

/** Reads states, and waits until what a call leaves to be done after its answer is done. */
export class Watch {
  readonly #server: OwnServer;
  readonly #world: World;
  readonly #read: PostgresClient;
  #resets = '';

  constructor(server: OwnServer, world: World, read: PostgresClient) {
    this.#server = server;
    this.#world = world;
    this.#read = read;
  }

  /** What differs from a state before, one sentence each. */
  async differences(before: State): Promise<string[]> {
    for (let reading = 1; ; reading += 1) {
      const after = await this.state();
      const parts = Object.keys({ ...before, ...after }).filter(
        (part) => before[part] !== after[part] && !isNewSetting(part, before),
      );
      // A reset that nobody waits for holds locks for a moment.
      const settles = parts.every((part) => part === 'locks' || part === 'sessions');
      if (parts.length === 0 || !settles || reading === READINGS) {
        return parts.map((part) => `${part}: ${change(before[part], after[part])}`);
      }
      await sleep(25);
    }
  }

  /** All of it. */
  async state(): Promise<State> {
    const { outside, heard, fallen } = this.#world;
    const [{ query }] = (await outside.query(CONTENTS)).rows;
    const contents = (await outside.query(query)).rows as { what: string; is: string }[];
    const [server] = (await outside.query(SERVER)).rows as [Record<string, unknown>];
    const settings = await outside.query<Setting>('SELECT name, setting FROM pg_settings');
    return {
      ...Object.fromEntries(contents.map(({ what, is }) => [`table ${what}`, is])),
      ...Object.fromEntries(Object.entries(server).map(([k, v]) => [k, JSON.stringify(v)])),
      ...(await this.#statistics()),
      ...settingsOf('setting', settings.rows),
      ...(await this.#session()),
      heard: heard.join('; '),
      fallen: fallen.join('; '),
      ...(await filesIn(this.#server.scratch, () => true)),
      ...(await filesIn(this.#server.data, isSettled)),
    };
  }

  /** What the next caller finds on the connection. */
  async #session(): Promise<State> {
    const request = sql(SESSION, [], { type: 'simple_read_only' });
    const answer = jsonOf(await this.#read.run(request, callOf('read')));
    const [all, ...others] = (answer as { results: { rows: Setting[] }[] }).results; // As the type answers.
    const role = JSON.stringify(others.map(({ rows }) => rows));
    return { ...settingsOf('session', all?.rows ?? []), 'session role': role };
  }

  /** When statistics were reset, of every view that reports. */
  async #statistics(): Promise<State> {
    if (this.#resets === '') {
      const { rows } = await this.#world.outside.query(`SELECT string_agg(format(
        'SELECT %L AS what, (SELECT string_agg(format(''%%s'', stats_reset), '','' ORDER BY stats_reset) FROM %s) AS is', c.oid::regclass, c.oid::regclass), ' UNION ALL ') AS query
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE a.attname = 'stats_reset' AND c.relkind = 'v'`);
      this.#resets = rows[0].query;
    }
    const { rows } = await this.#world.outside.query(this.#resets);
    return Object.fromEntries(rows.map(({ what, is }) => [`reset of ${what}`, String(is)]));
  }
}

interface Setting {
  readonly name: string;
  readonly setting: string;
}

function settingsOf(where: string, rows: readonly Setting[]): State {
  return Object.fromEntries(rows.map(({ name, setting }) => [`${where} ${name}`, setting]));
}

/** A library brings its settings to the session that first calls it. */
function isNewSetting(part: string, before: State): boolean {
  return /^(?:setting|session) /.test(part) && before[part] === undefined;
}

/** Files that only a statement changes: not those of tables, the log of changes, or counters. */
function isSettled(name: string): boolean {
  return !/^(?:base|global|pg_(?:wal|stat|stat_tmp|xact|subtrans|multixact|commit_ts|notify|logical|snapshots|twophase|dynshmem|serial|replslot\/.*\/.*)|postmaster\.)/.test(
    name,
  );
}

async function filesIn(folder: string, isMeant: (name: string) => boolean): Promise<State> {
  const found: Record<string, string> = {};
  const visit = async (inside: string): Promise<void> => {
    for (const entry of await readdir(join(folder, inside), { withFileTypes: true })) {
      const name = inside === '' ? entry.name : `${inside}/${entry.name}`;
      if (!isMeant(name)) continue;
      if (entry.isDirectory()) await visit(name);
      else found[`file ${name}`] = await digestOf(join(folder, name));
    }
  };
  await visit('');
  return found;
}

async function digestOf(file: string): Promise<string> {
  const { size } = await stat(file);
  return `${size} ${createHash('sha1')
    .update(await readFile(file))
    .digest('hex')}`;
}

/** The first place where two texts differ, with a little of both. */
function change(before = '(none)', after = '(none)'): string {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const from = Math.max(0, at - 40);
  return `${before.slice(from, at + 60)} → ${after.slice(from, at + 60)}`;
}
