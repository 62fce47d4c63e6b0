/** A connection that one caller holds for a while. Contract §6, "Sessions". */
import type { Call, Lease } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import { attempt, type Lendable, type Lender } from './lender.ts';

/** Keeps what calls set, until it is closed; then the connection ends. */
export class ConnectionLease<Request, Connection extends Lendable> implements Lease<Request> {
  readonly #lender: Lender<Connection>;
  readonly #connection: Connection;
  readonly #work: (request: Request, call: Call) => Promise<Buffer>;
  #turn: Promise<unknown> = Promise.resolve();
  #running = false;

  constructor(
    lender: Lender<Connection>,
    connection: Connection,
    work: (request: Request, call: Call) => Promise<Buffer>,
  ) {
    this.#lender = lender;
    this.#connection = connection;
    this.#work = work;
  }

  /** @throws GatewayError SESSION_NOT_FOUND once the connection is lost or a call on it was stopped */
  run(request: Request, call: Call): Promise<Buffer> {
    const result = this.#turn.then(() => this.#run(request, call));
    this.#turn = result.catch(() => {});
    return result;
  }

  async close(): Promise<void> {
    if (this.#running) this.#connection.interrupt();
    await this.#turn;
    this.#lender.discard(this.#connection);
  }

  async #run(request: Request, call: Call): Promise<Buffer> {
    const connection = this.#connection;
    if (connection.wire.lost || connection.interrupted) {
      throw new GatewayError('SESSION_NOT_FOUND', 'The session has ended with its connection');
    }
    this.#running = true;
    connection.mayKeep = false;
    return attempt(connection, call.mode, call.signal, () => this.#work(request, call)).finally(
      () => {
        this.#running = false;
      },
    );
  }
}
