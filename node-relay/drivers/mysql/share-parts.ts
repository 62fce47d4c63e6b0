/** What shares of one pool have in common: how they show their names, and what was learned of the server. */
import { Engines } from '../../../kinds/mysql/dialect/engines.ts';
import { ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import type { Call } from '../../../proto/driver.ts';
import { Lacks } from '../lacks.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { HeldConnections } from './held-connections.ts';
import { LockLooks } from './lock-waits.ts';
import { worksOn } from './worked-on.ts';

/** The variable of a session's level, the newer name first. */
const LEVEL_NAMES = ['transaction_isolation', 'tx_isolation'] as const;
const UNKNOWN_VARIABLE = 1193;

type OnSideConnection = <Value>(
  call: Call,
  work: (connection: Connection) => Promise<Value>,
) => Promise<Value>;

/** Of one pool. */
export class ShareParts {
  readonly lacks = new Lacks();
  readonly engines = new Engines();
  readonly looks = new LockLooks();
  readonly database: Database;
  readonly held: HeldConnections;
  /** Lends another connection than the share's own. */
  readonly beside: OnSideConnection;
  /** The server's name for a session's level, once a share has been announced. */
  levelName: (typeof LEVEL_NAMES)[number] = LEVEL_NAMES[0];
  /** The level of sessions as the server last told it. */
  #level: string | undefined;

  constructor(database: Database, beside: OnSideConnection) {
    this.database = database;
    this.beside = beside;
    this.held = new HeldConnections(database);
  }

  /** The level that sessions have, as the server writes it; asked once, as every share tells it again. */
  async level(connection: Connection): Promise<string> {
    if (this.#level !== undefined) return this.#level;
    const ask = () => connection.texts(`SELECT @@SESSION.${this.levelName}`);
    const rows = await ask().catch((error: unknown) => {
      if (!(error instanceof ServerError) || error.errno !== UNKNOWN_VARIABLE) throw error;
      this.levelName = LEVEL_NAMES[1];
      return ask();
    });
    return rows[0]?.[0] ?? '';
  }

  /**
   * Shows a share's name as long as its connection is open: as a lock of that name, which any session can ask for.
   * Answers the session's level as the server writes it.
   */
  async announce(connection: Connection, name: string): Promise<string> {
    worksOn(connection, name);
    const rows = await connection.texts(
      `SELECT COALESCE(CAST(GET_LOCK('${name}', 0) AS CHAR), ''), @@SESSION.${this.levelName}`,
    );
    this.#level = rows[0]?.[1] ?? '';
    connection.level = this.#level;
    return this.#level;
  }
}
