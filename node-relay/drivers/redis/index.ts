/** Driver of kind `redis`: Redis, Valkey and what speaks their protocol, as one server, a cluster, or behind sentinels. */

import type { RedisRequest } from '../../../kinds/redis/command.ts';
import { fromReply } from '../../../kinds/redis/dialect/errors.ts';
import { ReplyError } from '../../../kinds/redis/reply-value.ts';
import type {
  Call,
  Lease,
  Leases,
  Session,
  Target,
  Transacts,
  WatchEvent,
  Watches,
} from '../../../proto/driver.ts';
import type { Driver, Host } from '../driver.ts';
import { RedisLease } from './lease.ts';
import { runRequest, type Scene } from './run.ts';
import { sendOn } from './send.ts';
import { openServer } from './server.ts';
import { runTransaction } from './transact.ts';
import { follow } from './watch.ts';

/** Sessions to Redis. Contract §5, §6. */
export const redis: Driver<RedisRequest, RedisSession> = {
  async open({ envelope }: Target, host: Host): Promise<RedisSession> {
    const scene = { server: await openServer(envelope, host), host };
    return new RedisSession(scene, async () => ({
      server: await openServer(envelope, host, 2),
      host,
    }));
  },
};

/** What the driver can do. */
export class RedisSession
  implements
    Session<RedisRequest>,
    Transacts<RedisRequest>,
    Leases<RedisRequest>,
    Watches<RedisRequest>
{
  readonly #scene: Scene;
  readonly #openRaw: () => Promise<Scene>;
  /** In RESP2, for callers that take replies as they come; its connections count within the same caps. */
  #raw: Promise<Scene> | undefined;

  constructor(scene: Scene, openRaw: () => Promise<Scene>) {
    this.#scene = scene;
    this.#openRaw = openRaw;
  }

  async run(request: RedisRequest, call: Call): Promise<Uint8Array> {
    return runRequest(await this.#sceneOf(call), request, call);
  }

  async transact(requests: readonly RedisRequest[], call: Call): Promise<Uint8Array> {
    return runTransaction(await this.#sceneOf(call), requests, call);
  }

  lease(call: Call): Promise<Lease<RedisRequest>> {
    return RedisLease.open(this.#scene, call);
  }

  watch(request: RedisRequest, call: Call): AsyncIterable<WatchEvent> {
    return follow(this.#scene, request, call);
  }

  async ping(call: Call): Promise<number> {
    const start = performance.now();
    const [reply] = await sendOn(this.#scene.server, [{ type: 'ping', args: [] }], call);
    if (reply instanceof ReplyError) throw fromReply(reply);
    return performance.now() - start;
  }

  async close(): Promise<void> {
    const raw = await this.#raw;
    await Promise.all([this.#scene.server.close(), raw?.server.close()]);
  }

  #sceneOf({ replyForm }: Call): Scene | Promise<Scene> {
    if (replyForm === undefined) return this.#scene;
    this.#raw ??= this.#openRaw();
    return this.#raw;
  }
}
