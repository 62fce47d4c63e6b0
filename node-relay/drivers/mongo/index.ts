/** Driver of kind `mongo`: MongoDB by its official driver, documents as Extended JSON. */

import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import type {
  BackendClient,
  Call,
  InspectedTables,
  InspectPage,
  Inspects,
  Lease,
  Leases,
  Streams,
  Target,
  Transacts,
  WatchEvent,
  Watches,
} from '../../../proto/driver.ts';
import type { Driver, Host } from '../driver.ts';
import { Database } from './database.ts';
import { inspectPage } from './inspect.ts';
import { MongoLease } from './lease.ts';
import { runRequest } from './run.ts';
import { settingsOf } from './settings.ts';
import { streamDocuments } from './stream.ts';
import { runTransaction } from './transact.ts';
import { follow } from './watch.ts';

/** Clients of MongoDB. Contract §5, §6. */
export const mongo: Driver<MongoRequest, MongoBackend> = {
  async open({ envelope }: Target, host: Host): Promise<MongoBackend> {
    const settings = settingsOf(envelope.connection, envelope.settings);
    return new MongoBackend(new Database(settings, host));
  },
};

/** What the driver can do. */
export class MongoBackend
  implements
    BackendClient<MongoRequest>,
    Streams<MongoRequest>,
    Transacts<MongoRequest>,
    Leases<MongoRequest>,
    Watches<MongoRequest>,
    Inspects
{
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  run(request: MongoRequest, call: Call): Promise<Buffer> {
    return this.#database.call(call, (execution) => runRequest(execution, request));
  }

  stream(request: MongoRequest, call: Call): AsyncIterable<Uint8Array> {
    return streamDocuments(this.#database, request, call);
  }

  transact(requests: readonly MongoRequest[], call: Call): Promise<Buffer> {
    return runTransaction(this.#database, requests, call);
  }

  lease(call: Call): Promise<Lease<MongoRequest>> {
    return MongoLease.open(this.#database, call);
  }

  watch(
    request: MongoRequest,
    call: Call,
    resumeAfter: string | undefined,
  ): AsyncIterable<WatchEvent> {
    return follow(this.#database, request, call, resumeAfter);
  }

  inspect(page: InspectPage, call: Call): Promise<InspectedTables> {
    return this.#database.call(call, (execution) => inspectPage(execution, page));
  }

  ping(call: Call): Promise<number> {
    return this.#database.call(call, async ({ client, session }) => {
      const start = performance.now();
      await client.db('admin').command({ ping: 1 }, { session });
      return performance.now() - start;
    });
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
