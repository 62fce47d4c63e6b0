/** Edge driver of kind `redis`: databases at Upstash by its REST protocol. Contract §6, "Edge or relay". */

import { allowedNames } from '../../../../kinds/allow.ts';
import { AllowGuard } from '../../../../kinds/redis/allow-guard.ts';
import type { RedisRequest } from '../../../../kinds/redis/command.ts';
import { fromReply } from '../../../../kinds/redis/dialect/errors.ts';
import { ReplyError } from '../../../../kinds/redis/reply-value.ts';
import { checkEach } from '../../../../kinds/transaction.ts';
import type {
  BackendClient,
  Call,
  ConnectionEnvelope,
  ResultBytes,
  Transacts,
  WatchEvent,
  Watches,
} from '../../../../proto/driver.ts';
import type { EdgeDriver, EdgeHost } from '../driver.ts';
import { UpstashDatabase } from './database.ts';
import { runRequest, runTransaction, sendOne } from './run.ts';
import { settingsOf } from './settings.ts';
import { follow } from './watch.ts';

/** Clients of Upstash; there are no connections, and nothing that holds to one. */
export const upstash: EdgeDriver<RedisRequest, UpstashClient> = {
  vendor: 'Upstash',
  serves: (host) => host.endsWith('.upstash.io'),
  open({ connection, settings }: ConnectionEnvelope, host: EdgeHost) {
    const open = allowedNames(settings.allow, 'keys');
    const line = new UpstashDatabase(settingsOf(connection), host);
    return new UpstashClient(line, open && new AllowGuard(open));
  },
};

/** What the driver can do. */
class UpstashClient
  implements BackendClient<RedisRequest>, Transacts<RedisRequest>, Watches<RedisRequest>
{
  readonly #line: UpstashDatabase;

  readonly #allowGuard: AllowGuard | undefined;

  constructor(line: UpstashDatabase, allowGuard?: AllowGuard) {
    this.#line = line;
    this.#allowGuard = allowGuard;
  }

  async run(request: RedisRequest, call: Call): Promise<ResultBytes> {
    this.#allowGuard?.admit(request);
    return runRequest(this.#line, request, call);
  }

  async transact(requests: readonly RedisRequest[], call: Call): Promise<ResultBytes> {
    checkEach(requests, (request) => this.#allowGuard?.admit(request));
    return runTransaction(this.#line, requests, call);
  }

  watch(request: RedisRequest, call: Call): AsyncIterable<WatchEvent> {
    this.#allowGuard?.admit(request);
    return follow(this.#line, request, call);
  }

  async ping(call: Call): Promise<number> {
    const started = performance.now();
    const reply = await sendOne(this.#line, { type: 'ping', args: [] }, call);
    if (reply instanceof ReplyError) throw fromReply(reply);
    return performance.now() - started;
  }

  /** A request is all that there is of a connection. */
  async close(): Promise<void> {}
}
