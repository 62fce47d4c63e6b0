/** Driver of kind `redis`: Redis, Valkey and what speaks their protocol, as one server, a cluster, or behind sentinels. */
import type { Call, Lease, Session, Target, WatchEvent } from '../../../proto/driver.ts';
import type { RedisRequest } from '../../../proto/kinds/redis/command.ts';
import { ReplyError } from '../../../proto/kinds/redis/reply-value.ts';
import type { Driver, Host } from '../driver.ts';
import { fromReply } from './errors.ts';
import { RedisLease } from './lease.ts';
import { sendOn } from './result.ts';
import { runRequest, type Scene } from './run.ts';
import { openServer } from './server.ts';
import { runTransaction } from './transact.ts';
import { Watches } from './watch.ts';

/** Sessions to Redis. Contract §5, §6. */
export const redis: Driver<RedisRequest> = {
  async open({ envelope }: Target, host: Host): Promise<Session<RedisRequest>> {
    return new RedisSession({ server: await openServer(envelope, host), host });
  },
};

class RedisSession implements Session<RedisRequest> {
  readonly #scene: Scene;
  readonly #watches = new Watches();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  run(request: RedisRequest, call: Call): Promise<Uint8Array> {
    return runRequest(this.#scene, request, call);
  }

  transact(requests: readonly RedisRequest[], call: Call): Promise<Uint8Array> {
    return runTransaction(this.#scene, requests, call);
  }

  lease(call: Call): Promise<Lease<RedisRequest>> {
    return RedisLease.open(this.#scene, call);
  }

  watch(request: RedisRequest, call: Call): AsyncIterable<WatchEvent> {
    return this.#watches.follow(this.#scene, request, call);
  }

  async ping(call: Call): Promise<number> {
    const start = performance.now();
    const [reply] = await sendOn(this.#scene.server, [{ type: 'ping', args: [] }], call);
    if (reply instanceof ReplyError) throw fromReply(reply);
    return performance.now() - start;
  }

  close(): Promise<void> {
    return this.#scene.server.close();
  }
}
