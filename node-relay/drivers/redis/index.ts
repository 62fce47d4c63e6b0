/** Driver of kind `redis`: Redis, Valkey and what speaks their protocol, as one server, a cluster, or behind sentinels. */

import { allowedNames } from '../../../kinds/allow.ts';
import { AllowGuard } from '../../../kinds/redis/allow-guard.ts';
import type { RedisRequest } from '../../../kinds/redis/command.ts';
import { fromReply } from '../../../kinds/redis/dialect/errors.ts';
import { ReplyError } from '../../../kinds/redis/reply-value.ts';
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
  Lease,
  Leases,
  Target,
  Transacts,
  WatchEvent,
  Watches,
} from '../../../proto/driver.ts';
import type { KeepsOnce, OnceAnswer, OnceMark, OnceWork } from '../../../proto/once.ts';
import type { ShareStatus } from '../../../proto/prepares.ts';
import type { Driver, Host } from '../driver.ts';
import { RedisChanges } from './changes/index.ts';
import { RedisLease } from './lease.ts';
import { RedisOnce } from './once.ts';
import { type RedisBackend, runRequest } from './run.ts';
import { sendOn } from './send.ts';
import { openServer } from './server.ts';
import { settingsOf } from './settings.ts';
import { runTransaction } from './transact.ts';
import { follow } from './watch.ts';

/** Clients of Redis. Contract §5, §6. */
export const redis: Driver<RedisRequest, RedisClient> = {
  async open({ envelope }: Target, host: Host): Promise<RedisClient> {
    const backend = { server: await openServer(envelope, host), host };
    const open = allowedNames(envelope.settings.allow, 'keys');
    const allowGuard = open && new AllowGuard(open);
    const changes = new RedisChanges(backend, settingsOf(envelope.connection), allowGuard);
    const openRaw = async () => ({ server: await openServer(envelope, host, 2), host });
    return new RedisClient(backend, { changes, openRaw, allowGuard });
  },
};

/** What a client is made of besides its backend. */
interface ClientParts {
  readonly changes: RedisChanges;
  readonly openRaw: () => Promise<RedisBackend>;
  /** Undefined where requests may name everything. */
  readonly allowGuard: AllowGuard | undefined;
}

/** What the driver can do. */
export class RedisClient
  implements
    BackendClient<RedisRequest>,
    Transacts<RedisRequest>,
    Leases<RedisRequest>,
    Watches<RedisRequest>,
    Changes,
    KeepsOnce<RedisRequest>
{
  readonly #backend: RedisBackend;
  readonly #changes: RedisChanges;
  readonly #once: RedisOnce;
  readonly #openRaw: () => Promise<RedisBackend>;
  /** In RESP2, for callers that take replies as they come; its connections count within the same caps. */
  #raw: Promise<RedisBackend> | undefined;

  readonly #allowGuard: AllowGuard | undefined;

  constructor(backend: RedisBackend, { changes, openRaw, allowGuard }: ClientParts) {
    this.#backend = backend;
    this.#changes = changes;
    this.#once = new RedisOnce(backend);
    this.#openRaw = openRaw;
    this.#allowGuard = allowGuard;
  }

  async run(request: RedisRequest, call: Call): Promise<Uint8Array> {
    this.#allowGuard?.admit(request);
    return runRequest(await this.#sceneOf(call), request, call);
  }

  async transact(requests: readonly RedisRequest[], call: Call): Promise<Uint8Array> {
    checkEach(requests, (request) => this.#allowGuard?.admit(request));
    return runTransaction(await this.#sceneOf(call), requests, call);
  }

  async once(work: OnceWork<RedisRequest>, mark: OnceMark, call: Call): Promise<OnceAnswer> {
    if ('request' in work) this.#allowGuard?.admit(work.request);
    else checkEach(work.operations, (request) => this.#allowGuard?.admit(request));
    return this.#once.once(work, mark, call);
  }

  settleMark(mark: OnceMark, recovery: string, call: Call): Promise<ShareStatus> {
    return this.#once.settleMark(mark, recovery, call);
  }

  lease(call: Call): Promise<Lease<RedisRequest>> {
    return RedisLease.open(this.#backend, call, this.#allowGuard);
  }

  watch(request: RedisRequest, call: Call): AsyncIterable<WatchEvent> {
    this.#allowGuard?.admit(request);
    return follow(this.#backend, request, call);
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

  async ping(call: Call): Promise<number> {
    const start = performance.now();
    const [reply] = await sendOn(this.#backend.server, [{ type: 'ping', args: [] }], call);
    if (reply instanceof ReplyError) throw fromReply(reply);
    return performance.now() - start;
  }

  async close(): Promise<void> {
    const raw = await this.#raw;
    await Promise.all([this.#backend.server.close(), raw?.server.close()]);
  }

  #sceneOf({ replyForm }: Call): RedisBackend | Promise<RedisBackend> {
    if (replyForm === undefined) return this.#backend;
    this.#raw ??= this.#openRaw();
    return this.#raw;
  }
}
