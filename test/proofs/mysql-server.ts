/** A MariaDB that reports how it has read each statement, with traps in it. */
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysqlClient from 'mysql2/promise';
import { sessionSettings } from '../../node-relay/drivers/mysql/session.ts';
import { ATTACK_FILE, stateOf } from '../../node-relay/drivers/mysql/test/attack-state.ts';
import { TRAPS } from '../../node-relay/drivers/mysql/test/attacks.ts';
import { TestDatabase } from '../../node-relay/drivers/mysql/test/database.ts';
import { randomSecret } from '../../server/data-folder.ts';
import { startMariadb } from '../servers/mariadb-server.ts';

/** Statements that the server remembers of each connection. */
const REMEMBERED = 1_024;
/** Statements and locks are told of, also those under way. */
const TELLING = [
  "UPDATE performance_schema.setup_consumers SET ENABLED = 'YES' WHERE NAME LIKE 'events_statements_%'",
  "UPDATE performance_schema.setup_instruments SET ENABLED = 'YES' WHERE NAME = 'wait/lock/metadata/sql/mdl'",
];
/** All that one session could leave for another, besides the attacks' own state. */
const STATE = `SELECT
  (SELECT group_concat(VARIABLE_NAME ORDER BY VARIABLE_NAME) FROM performance_schema.user_variables_by_thread
    WHERE THREAD_ID <> (SELECT THREAD_ID FROM performance_schema.threads WHERE PROCESSLIST_ID = connection_id())) AS variables,
  (SELECT group_concat(OBJECT_NAME, LOCK_TYPE) FROM performance_schema.metadata_locks WHERE OBJECT_TYPE = 'USER LEVEL LOCK') AS locks,
  (SELECT md5(group_concat(VARIABLE_NAME, VARIABLE_VALUE ORDER BY VARIABLE_NAME)) FROM information_schema.GLOBAL_VARIABLES
    WHERE VARIABLE_NAME NOT LIKE 'GTID%' AND VARIABLE_NAME NOT LIKE 'SERVER_AUDIT%') AS settings,
  (SELECT count(*) FROM information_schema.EVENTS) AS events,
  (SELECT count(*) FROM information_schema.SCHEMATA) AS databases_,
  (SELECT group_concat(id, name) FROM items) AS items`;
/** What a session holds; what its own statements count is no setting. */
const SESSION = `SELECT md5(group_concat(VARIABLE_NAME, VARIABLE_VALUE ORDER BY VARIABLE_NAME)) AS settings
  FROM information_schema.SESSION_VARIABLES
  WHERE VARIABLE_NAME NOT IN ('TIMESTAMP', 'WARNING_COUNT', 'ERROR_COUNT', 'IDENTITY', 'LAST_INSERT_ID', 'IN_TRANSACTION',
    'RAND_SEED1', 'RAND_SEED2')`;

/** How the server has read a statement. */
interface Reading {
  /** Its words and names with texts and numbers left out; undefined when it could not be parsed. */
  readonly digest: string | undefined;
}

/** The server with a database, and a connection that sends texts as they are under the settings of a read. */
export class ProofServer {
  readonly database: TestDatabase;
  readonly #raw: mysqlClient.Connection;
  readonly #stop: () => Promise<void>;

  private constructor(
    database: TestDatabase,
    raw: mysqlClient.Connection,
    stop: () => Promise<void>,
  ) {
    this.database = database;
    this.#raw = raw;
    this.#stop = stop;
  }

  /** Starts it and sets the traps. @throws Failure when there is no MariaDB */
  static async start(): Promise<ProofServer> {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-mysql-proof-'));
    const server = await startMariadb({
      folder: join(folder, 'server'),
      password: randomSecret(),
      settings: {
        'innodb-flush-log-at-trx-commit': 0,
        'performance-schema': 'ON',
        'performance-schema-events-statements-history-size': REMEMBERED,
        'group-concat-max-len': 10_000_000,
      },
    });
    rmSync(ATTACK_FILE, { force: true });
    const database = await TestDatabase.create('', server);
    for (const statement of [...TELLING, ...TRAPS]) await database.outside.query(statement);
    // What the server calls JSON may be an empty text, at which the client would end the connection.
    const as = { charset: 'utf8mb4', jsonStrings: true };
    const raw = await mysqlClient.createConnection({ uri: database.url, ...as });
    for (const statement of sessionSettings('read')) await raw.query(statement);
    return new ProofServer(database, raw, async () => {
      raw.destroy();
      await database.drop();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  /** Sends a text as it is; errors are the server's answer. */
  async send(text: string): Promise<void> {
    await this.#raw.query(text).catch(() => {});
  }

  /** Does work while the raw connection reads in another way. */
  async inMode(sqlMode: string, work: () => Promise<void>): Promise<void> {
    const usual = await this.#mode();
    await this.#raw.query('SET SESSION sql_mode = ?', [sqlMode]);
    await work();
    await this.#raw.query('SET SESSION sql_mode = ?', [usual]);
  }

  async #mode(): Promise<string> {
    const [rows] = await this.#raw.query('SELECT @@SESSION.sql_mode AS mode');
    return (rows as { mode: string }[])[0]?.mode ?? '';
  }

  /** Whether the server can read a text; preparing it may make a variable, so not on the raw connection. */
  async parses(text: string): Promise<boolean> {
    try {
      const statement = await this.database.outside.prepare(text);
      statement.close();
      return true;
    } catch (error) {
      return (error as { errno?: number }).errno !== PARSE_ERROR;
    }
  }

  /** How the server has read what was sent last, by text. */
  async readings(): Promise<ReadonlyMap<string, Reading>> {
    const rows = await this.database.look(
      `SELECT SQL_TEXT, DIGEST_TEXT FROM performance_schema.events_statements_history
        WHERE THREAD_ID = (SELECT THREAD_ID FROM performance_schema.threads WHERE PROCESSLIST_ID = ${this.#raw.threadId})`,
    );
    return new Map(
      (rows as { SQL_TEXT: string; DIGEST_TEXT: string | null }[]).map((row) => [
        row.SQL_TEXT,
        { digest: row.DIGEST_TEXT ?? undefined },
      ]),
    );
  }

  /** All that a read could have changed. */
  async state(): Promise<string> {
    const [session] = await this.#raw.query(SESSION);
    const whole = await this.database.look(STATE);
    const attacked = await stateOf(this.database);
    return JSON.stringify([session, whole, attacked, existsSync(ATTACK_FILE)], bigintText);
  }
}

const PARSE_ERROR = 1064;

function bigintText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
