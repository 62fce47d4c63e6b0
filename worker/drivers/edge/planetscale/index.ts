/** Edge driver of kind `mysql`: MySQL at PlanetScale by its HTTP interface, through the vendor's driver. */
import type {
  Call,
  ConnectionEnvelope,
  InspectedTables,
  InspectPage,
  ResultBytes,
  Session,
} from '../../../../proto/driver.ts';
import type { MysqlRequest } from '../../../../proto/kinds/mysql.ts';
import type { EdgeDriver, EdgeHost } from '../driver.ts';
import { isPlanetScale, planetScaleSettings } from './settings.ts';

/** Sessions to PlanetScale: it has transactions, but neither streams nor sessions of a caller's own. Contract §6, "Edge or relay". */
export const planetscale: EdgeDriver<MysqlRequest> = {
  vendor: 'PlanetScale',
  serves: isPlanetScale,
  open(envelope: ConnectionEnvelope, host: EdgeHost) {
    // Read here too, so that what is wrong with it is told before anything is loaded.
    planetScaleSettings(envelope.connection);
    return new LateSession(envelope, host);
  },
};

/** The driver is evaluated with the first request to any such endpoint, not when the worker starts. */
class LateSession implements Session<MysqlRequest> {
  readonly #envelope: ConnectionEnvelope;
  readonly #host: EdgeHost;
  #session:
    | Required<Pick<Session<MysqlRequest>, 'run' | 'transact' | 'inspect' | 'ping'>>
    | undefined;

  constructor(envelope: ConnectionEnvelope, host: EdgeHost) {
    this.#envelope = envelope;
    this.#host = host;
  }

  async run(request: MysqlRequest, call: Call): Promise<ResultBytes> {
    return (await this.#loaded()).run(request, call);
  }

  async transact(requests: readonly MysqlRequest[], call: Call): Promise<ResultBytes> {
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
    const { PlanetScaleSession } = await import('./session.ts');
    this.#session ??= new PlanetScaleSession(this.#envelope, this.#host);
    return this.#session;
  }
}
