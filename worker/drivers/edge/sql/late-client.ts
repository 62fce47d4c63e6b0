/** A client whose driver is evaluated with the first request to any such endpoint, not when the worker starts. */
import type {
  BackendClient,
  Call,
  InspectedTables,
  InspectPage,
  Inspects,
  ResultBytes,
  Transacts,
} from '../../../../proto/driver.ts';

/** What a vendor's SQL over HTTP can do. */
export type SqlClient<Request> = Pick<BackendClient<Request>, 'run' | 'ping'> &
  Transacts<Request> &
  Inspects;

/** Hands calls on to the client that `load` makes. */
export class LateClient<Request> implements BackendClient<Request>, SqlClient<Request> {
  readonly #load: () => Promise<SqlClient<Request>>;
  #client: SqlClient<Request> | undefined;

  constructor(load: () => Promise<SqlClient<Request>>) {
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

  /** Kept is the client, never the promise of one: that is of one request. */
  async #loaded(): Promise<SqlClient<Request>> {
    if (this.#client) return this.#client;
    const loaded = await this.#load();
    this.#client ??= loaded;
    return this.#client;
  }
}
