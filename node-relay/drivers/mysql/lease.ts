/** A connection that one caller holds for a while. Contract §6, "Sessions". */
import type { Call, Lease } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { MysqlRequest } from '../../../proto/kinds/mysql.ts';
import type { Connection } from './connection.ts';
import { attempt, type Database } from './database.ts';
import { runRequest } from './run.ts';

/** Keeps what calls set, until it is closed; then the connection ends. */
export class MysqlLease implements Lease<MysqlRequest> {
  readonly #database: Database;
  readonly #connection: Connection;
  #turn: Promise<unknown> = Promise.resolve();
  #running = false;

  constructor(database: Database, connection: Connection) {
    this.#database = database;
    this.#connection = connection;
  }

  /** @throws GatewayError SESSION_NOT_FOUND once the connection is lost or a call on it was stopped */
  run(request: MysqlRequest, call: Call): Promise<Buffer> {
    const result = this.#turn.then(() => this.#run(request, call));
    this.#turn = result.catch(() => {});
    return result;
  }

  async close(): Promise<void> {
    if (this.#running) this.#connection.interrupt();
    await this.#turn;
    this.#database.discard(this.#connection);
  }

  async #run(request: MysqlRequest, call: Call): Promise<Buffer> {
    const connection = this.#connection;
    if (connection.wire.lost || connection.interrupted) {
      throw new GatewayError('SESSION_NOT_FOUND', 'The session has ended with its connection');
    }
    this.#running = true;
    const scene = { database: this.#database, connection, call, place: 'lease' as const };
    return attempt(connection, call.mode, call.signal, async () => {
      const { value } = await runRequest(scene, request);
      return value;
    }).finally(() => {
      this.#running = false;
    });
  }
}
