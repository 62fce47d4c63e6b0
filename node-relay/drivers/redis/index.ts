/** Driver of kind `redis`: Redis, Valkey and what speaks their protocol, as one server, a cluster, or behind sentinels. */

import type { RedisRequest } from '../../../kinds/redis/command.ts';
import { fromReply } from '../../../kinds/redis/dialect/errors.ts';
import { ReplyError } from '../../../kinds/redis/reply-value.ts';
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
import type { Driver, Host } from '../driver.ts';
import { RedisLease } from './lease.ts';
import { type RedisBackend, runRequest } from './run.ts';
import { sendOn } from './send.ts';
import { openServer } from './server.ts';
import { runTransaction } from './transact.ts';
import { follow } from './watch.ts';

/** Clients of Redis. Contract §5, §6. */
export const redis: Driver<RedisRequest, RedisClient> = {
  async open({ envelope }: Target, host: Host): Promise<RedisClient> {
    const backend = { server: await openServer(envelope, host), host };
    return new RedisClient(backend, async () => ({
      server: await openServer(envelope, host, 2),
      host,
    }));
  },
};

/** What the driver can do. */
export class RedisClient
  implements
    BackendClient<RedisRequest>,
    Transacts<RedisRequest>,
    Leases<RedisRequest>,
    Watches<RedisRequest>
{
  readonly #backend: RedisBackend;
  readonly #openRaw: () => Promise<RedisBackend>;
  /** In RESP2, for callers that take replies as they come; its connections count within the same caps. */
  #raw: Promise<RedisBackend> | undefined;

  constructor(backend: RedisBackend, openRaw: () => Promise<RedisBackend>) {
    this.#backend = backend;
    this.#openRaw = openRaw;
  }

  async run(request: RedisRequest, call: Call): Promise<Uint8Array> {
    return runRequest(await this.#sceneOf(call), request, call);
  }

  async transact(requests: readonly RedisRequest[], call: Call): Promise<Uint8Array> {
    return runTransaction(await this.#sceneOf(call), requests, call);
  }

  lease(call: Call): Promise<Lease<RedisRequest>> {
    return RedisLease.open(this.#backend, call);
  }

  watch(request: RedisRequest, call: Call): AsyncIterable<WatchEvent> {
    return follow(this.#backend, request, call);
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
