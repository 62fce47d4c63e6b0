/** Driver of kind `mongo`: MongoDB by its official driver, documents as Extended JSON. */

import { allowedNames } from '../../../kinds/allow.ts';
import { AllowGuard } from '../../../kinds/mongo/allow-guard.ts';
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import { openPage } from '../../../kinds/open-page.ts';
import { checkEach } from '../../../kinds/transaction.ts';
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
  InspectedTable,
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
import type { KeepsOnce, OnceAnswer, OnceMark, OnceWork } from '../../../proto/once.ts';
import type {
  Beginning,
  Finished,
  Joins,
  Participant,
  ShareStatus,
} from '../../../proto/prepares.ts';
import { orAbort } from '../deadline.ts';
import type { Driver, Host } from '../driver.ts';
import { MongoChanges } from './changes/index.ts';
import { Database } from './database.ts';
import { inspectPage } from './inspect.ts';
import { MongoLease } from './lease.ts';
import { abandon, settle } from './lost-share.ts';
import { Marks } from './marks.ts';
import { MongoOnce } from './once.ts';
import { runRequest } from './run.ts';
import { settingsOf } from './settings.ts';
import { MongoShare } from './share.ts';
import { streamDocuments } from './stream.ts';
import { convertedAhead } from './to-bson.ts';
import { runTransaction } from './transact.ts';
import { follow } from './watch.ts';

/** Clients of MongoDB. Contract §5, §6. */
export const mongo: Driver<MongoRequest, MongoBackend> = {
  async open({ envelope }: Target, host: Host): Promise<MongoBackend> {
    const settings = settingsOf(envelope.connection, envelope.settings);
    const open = allowedNames(envelope.settings.allow, 'collections');
    const allowGuard = open && new AllowGuard(open, settings.database);
    return new MongoBackend(new Database(settings, host), allowGuard);
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
    Changes,
    KeepsOnce<MongoRequest>
{
  readonly hasColumns = false;
  readonly #database: Database;
  readonly #changes: MongoChanges;
  readonly #marks: Marks;
  readonly #once: MongoOnce;
  /** Shares that are being undone, by their names. */
  readonly #ending = new Map<string, Promise<boolean>>();
  /** Undefined where requests may name everything. */
  readonly #allowGuard: AllowGuard | undefined;

  constructor(database: Database, allowGuard: AllowGuard | undefined) {
    this.#database = database;
    this.#changes = new MongoChanges(database, allowGuard);
    this.#allowGuard = allowGuard;
    this.#marks = new Marks(database);
    this.#once = new MongoOnce(database, this.#marks);
  }

  async run(request: MongoRequest, call: Call): Promise<Buffer> {
    this.#allowGuard?.admit(request);
    await convertedAhead(request, call);
    return this.#database.call(call, (execution) => runRequest(execution, request));
  }

  async *stream(request: MongoRequest, call: Call): AsyncGenerator<Uint8Array> {
    this.#allowGuard?.admit(request);
    await convertedAhead(request, call);
    yield* streamDocuments(this.#database, request, call);
  }

  async transact(requests: readonly MongoRequest[], call: Call): Promise<Buffer> {
    checkEach(requests, (request) => this.#allowGuard?.admit(request));
    await convertedAhead(requests, call);
    return runTransaction(this.#database, requests, call);
  }

  async once(work: OnceWork<MongoRequest>, mark: OnceMark, call: Call): Promise<OnceAnswer> {
    if ('request' in work) this.#allowGuard?.admit(work.request);
    else checkEach(work.operations, (request) => this.#allowGuard?.admit(request));
    await convertedAhead('request' in work ? work.request : work.operations, call);
    return this.#once.once(work, mark, call);
  }

  async lease(call: Call): Promise<Lease<MongoRequest>> {
    const lease = await MongoLease.open(this.#database, call);
    return {
      run: async (request, own) => {
        this.#allowGuard?.admit(request);
        return lease.run(request, own);
      },
      close: () => lease.close(),
    };
  }

  async *watch(
    request: MongoRequest,
    call: Call,
    resumeAfter: string | undefined,
  ): AsyncGenerator<WatchEvent> {
    this.#allowGuard?.admit(request);
    await convertedAhead(request, call);
    yield* follow(this.#database, request, call, resumeAfter);
  }

  join(beginning: Beginning, call: Call): Promise<Participant<MongoRequest>> {
    const parts = {
      database: this.#database,
      marks: this.#marks,
      allowGuard: this.#allowGuard,
      ending: this.#ending,
    };
    return MongoShare.join(parts, beginning, call);
  }

  settle(recovery: string, call: Call): Promise<ShareStatus> {
    return settle(this.#database, recovery, call);
  }

  /** By what it was recovered by: the server knows no names of shares. One that is being undone here is waited for. */
  async rollback(name: string, recovery: string, call: Call): Promise<Finished> {
    const undone = this.#ending.get(name);
    if (undone !== undefined) await orAbort(undone, call.signal);
    await abandon(this.#database, recovery, call);
    return { found: false, status: 'unknown' };
  }

  settleMark(mark: OnceMark, recovery: string, call: Call): Promise<ShareStatus> {
    return this.#once.settleMark(mark, recovery, call);
  }

  inspect(page: InspectPage, call: Call): Promise<InspectedTables> {
    const guard = this.#allowGuard;
    const isOpen = guard && (({ namespace, name }: InspectedTable) => guard.opens(namespace, name));
    return this.#database.call(call, (execution) =>
      openPage(page, isOpen, (each) => inspectPage(execution, each)),
    );
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
