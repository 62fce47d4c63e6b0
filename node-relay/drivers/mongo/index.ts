/** Driver of kind `mongo`: MongoDB by its official driver, documents as Extended JSON. */

import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import type {
  ChangeBatch,
  Changes,
  ChangesLag,
  ChangesRequest,
  PreparedChanges,
} from '../../../proto/changes.ts';
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
import type { Beginning, Joins, Participant, ShareStatus } from '../../../proto/prepares.ts';
import type { Driver, Host } from '../driver.ts';
import { MongoChanges } from './changes/index.ts';
import { Database } from './database.ts';
import { inspectPage } from './inspect.ts';
import { MongoLease } from './lease.ts';
import { runRequest } from './run.ts';
import { settingsOf } from './settings.ts';
import { MongoShare, settle } from './share.ts';
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
    Joins<MongoRequest>,
    Inspects,
    Changes
{
  readonly hasColumns = false;
  readonly #database: Database;
  readonly #changes: MongoChanges;

  constructor(database: Database) {
    this.#database = database;
    this.#changes = new MongoChanges(database);
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

  join(beginning: Beginning, call: Call): Promise<Participant<MongoRequest>> {
    return MongoShare.join(this.#database, beginning, call);
  }

  settle(recovery: string, call: Call): Promise<ShareStatus> {
    return settle(this.#database, recovery, call);
  }

  inspect(page: InspectPage, call: Call): Promise<InspectedTables> {
    return this.#database.call(call, (execution) => inspectPage(execution, page));
  }

  prepareChanges(request: ChangesRequest, call: Call): Promise<PreparedChanges> {
    return this.#changes.prepareChanges(request, call);
  }

  changes(
    request: ChangesRequest,
    position: string | undefined,
    call: Call,
  ): AsyncIterable<ChangeBatch> {
    return this.#changes.changes(request, position, call);
  }

  acknowledgeChanges(slot: string): boolean {
    return this.#changes.acknowledgeChanges(slot);
  }

  dropChanges(): Promise<boolean> {
    return this.#changes.dropChanges();
  }

  changesLag(): Promise<ChangesLag> {
    return this.#changes.changesLag();
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
