/** Edge driver of kind `postgres`: PostgreSQL at Neon by its HTTP endpoint, through the vendor's driver. */
import type {
  Call,
  ConnectionEnvelope,
  InspectedTables,
  InspectPage,
  ResultBytes,
  Session,
} from '../../../../proto/driver.ts';
import type { PostgresRequest } from '../../../../proto/kinds/postgres.ts';
import type { EdgeDriver, EdgeHost } from '../driver.ts';
import { isNeon, neonSettings } from './settings.ts';

/** Sessions to Neon: it has transactions, but neither streams nor sessions of a caller's own. Contract §6, "Edge or relay". */
export const neon: EdgeDriver<PostgresRequest> = {
  vendor: 'Neon',
  serves: isNeon,
  open(envelope: ConnectionEnvelope, host: EdgeHost) {
    // Read here too, so that what is wrong with it is told before anything is loaded.
    neonSettings(envelope.connection);
    return new LateSession(envelope, host);
  },
};

/** Driver and parser are evaluated with the first request to any such endpoint, not when the worker starts. */
class LateSession implements Session<PostgresRequest> {
  readonly #envelope: ConnectionEnvelope;
  readonly #host: EdgeHost;
  #session:
    | Required<Pick<Session<PostgresRequest>, 'run' | 'transact' | 'inspect' | 'ping'>>
    | undefined;

  constructor(envelope: ConnectionEnvelope, host: EdgeHost) {
    this.#envelope = envelope;
    this.#host = host;
  }

  async run(request: PostgresRequest, call: Call): Promise<ResultBytes> {
    return (await this.#loaded()).run(request, call);
  }

  async transact(requests: readonly PostgresRequest[], call: Call): Promise<ResultBytes> {
    return (await this.#loaded()).transact(requests, call);
  }

  async inspect(page: InspectPage, call: Call): Promise<InspectedTables> {
    return (await this.#loaded()).inspect(page, call);
  }

  async ping(call: Call): Promise<number> {
    return (await this.#loaded()).ping(call);
  }

  async close(): Promise<void> {}

  /** Kept is the session, never the promise of one: that is of one request. */
  async #loaded() {
    if (this.#session) return this.#session;
    const [{ NeonSession }, { loadParser }] = await Promise.all([
      import('./session.ts'),
      import('./parser.ts'),
    ]);
    await loadParser();
    this.#session ??= new NeonSession(this.#envelope, this.#host);
    return this.#session;
  }
}
