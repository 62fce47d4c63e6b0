/** A session whose driver is evaluated with the first request to any such endpoint, not when the worker starts. */
import type {
  Call,
  InspectedTables,
  InspectPage,
  Inspects,
  ResultBytes,
  Session,
  Transacts,
} from '../../../../proto/driver.ts';

/** What a vendor's SQL over HTTP can do. */
export type SqlSession<Request> = Pick<Session<Request>, 'run' | 'ping'> &
  Transacts<Request> &
  Inspects;

/** Hands calls on to the session that `load` makes. */
export class LateSession<Request> implements Session<Request>, SqlSession<Request> {
  readonly #load: () => Promise<SqlSession<Request>>;
  #session: SqlSession<Request> | undefined;

  constructor(load: () => Promise<SqlSession<Request>>) {
    this.#load = load;
  }

  async run(request: Request, call: Call): Promise<ResultBytes> {
    return (await this.#loaded()).run(request, call);
  }

  async transact(requests: readonly Request[], call: Call): Promise<ResultBytes> {
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
  async #loaded(): Promise<SqlSession<Request>> {
    if (this.#session) return this.#session;
    const loaded = await this.#load();
    this.#session ??= loaded;
    return this.#session;
  }
}
