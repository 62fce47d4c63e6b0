/** What attacks on `/read` could have changed, to be compared before and after them. */
import { existsSync } from 'node:fs';
import type { TestDatabase } from './database.ts';

/** Where attacks write, when they can. */
export const ATTACK_FILE = '/tmp/causeway-attack';
/** Of a server too old to have the function. */
export const NO_SUCH_FUNCTION = '42883';

/** An empty text has no statements: there is nothing to refuse. */
export function isEmpty(text: string): boolean {
  return /^(?:;|--.*)?$/.test(text);
}

/** One database under attack, with the traps of attacks.ts in it. */
export class AttackState {
  readonly #database: TestDatabase;
  readonly #notifications: string[] = [];

  private constructor(database: TestDatabase) {
    this.#database = database;
  }

  /** Arms the traps. */
  static async of(database: TestDatabase): Promise<AttackState> {
    const state = new AttackState(database);
    const { hostname, port, username, password } = new URL(database.url);
    const dsn = `dbname=${database.name} host=${hostname} port=${port} user=${username} password=${password}`;
    await database.outside.query(`ALTER DATABASE ${database.name} SET trap.dsn = '${dsn}'`);
    database.outside.on('notification', ({ channel }) => state.#notifications.push(channel));
    await database.outside.query('LISTEN attack');
    return state;
  }

  /** Everything that an attack could have changed. */
  async read(): Promise<unknown> {
    const { rows } = await this.#database.outside.query(`SELECT
    (SELECT json_agg(i ORDER BY id) FROM items i) AS items,
    (SELECT count(*) FROM trace) AS traces,
    (SELECT last_value::text || is_called FROM counter) AS counter,
    (SELECT json_agg(relname ORDER BY relname) FROM pg_class WHERE oid >= 16384) AS relations,
    (SELECT count(*) FROM pg_proc) AS functions,
    (SELECT count(*) FROM pg_largeobject_metadata) AS large_objects,
    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS advisory_locks,
    (SELECT count(*) FROM pg_replication_slots WHERE slot_name = 'attack') AS slots,
    (SELECT count(*) FROM pg_replication_origin WHERE roname = 'attack') AS origins,
    (SELECT count(*) FROM pg_prepared_xacts WHERE gid = 'attack') AS prepared,
    (SELECT count(*) FROM pg_db_role_setting
      WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))) AS settings,
    (SELECT count(*) FROM pg_database WHERE datname = 'made') AS databases,
    (SELECT obj_description('items'::regclass)) AS comment,
    (SELECT relacl::text FROM pg_class WHERE relname = 'items') AS rights`);
    const file = existsSync(ATTACK_FILE);
    return { ...rows[0], notifications: [...this.#notifications], file };
  }
}
