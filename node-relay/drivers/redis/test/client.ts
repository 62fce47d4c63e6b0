/** A session on a server of a test's own, and another connection to look at it from outside. */

import type { RedisCommand, RedisRequest, Word } from '../../../../kinds/redis/command.ts';
import { commandFrom } from '../../../../kinds/redis/table.ts';
import type { Call, Lease, Mode } from '../../../../proto/driver.ts';
import {
  ownRedis,
  type RedisOptions,
  type RedisServer,
} from '../../../../test/servers/redis-server.ts';
import type { Host } from '../../driver.ts';
import { callOf, jsonOf, openClient } from '../../test/host.ts';
import { type RedisClient, redis } from '../index.ts';
import { DirectClient } from './direct-client.ts';

/** A command line, its words separated by blanks: `XADD x * a 1`. */
export function line(text: string): RedisCommand {
  const [name = '', ...args] = text.split(' ');
  return commandFrom(name.toLowerCase(), args);
}

/** As `line`, with more words that may hold anything. */
export function words(text: string, ...more: readonly Word[]): RedisCommand {
  const { type, args } = line(text);
  return { type, args: [...args, ...more] };
}

/** What is open for a test file. */
export class TestClient {
  readonly server: RedisServer;
  readonly session: RedisClient;
  readonly outside: DirectClient;

  private constructor(server: RedisServer, session: RedisClient, outside: DirectClient) {
    this.server = server;
    this.session = session;
    this.outside = outside;
  }

  static async open(
    options: Omit<RedisOptions, 'folder'> = { modules: false },
    host?: Host,
  ): Promise<TestClient> {
    const server = await ownRedis(options);
    const connection = { url: server.url };
    const session = await openClient(redis, {
      connection,
      mode: 'write',
      ...(host === undefined ? {} : { host }),
    });
    return new TestClient(server, session, await DirectClient.connect(server.url));
  }

  /** What a request answers. */
  async run(
    request: RedisRequest | string,
    mode: Mode = 'write',
    bounds: Partial<Call> = {},
  ): Promise<unknown> {
    const asked = typeof request === 'string' ? line(request) : request;
    return jsonOf(await this.session.run(asked, callOf(mode, bounds)));
  }

  /** The reply to a command line, sent from outside, as text. */
  async say(text: string): Promise<string | undefined> {
    return (await this.outside.send(...text.split(' '))).text?.toString();
  }

  /** A connection that the test holds. */
  async lease(): Promise<TestLease> {
    return new TestLease(await this.session.lease(callOf('write')));
  }

  async close(): Promise<void> {
    this.outside.close();
    await this.session.close();
    await this.server.stop();
  }
}

/** A lease whose requests are command lines. */
export class TestLease {
  readonly lease: Lease<RedisRequest>;

  constructor(lease: Lease<RedisRequest>) {
    this.lease = lease;
  }

  async run(
    request: RedisRequest | string,
    mode: Mode = 'write',
    bounds: Partial<Call> = {},
  ): Promise<unknown> {
    const asked = typeof request === 'string' ? line(request) : request;
    return jsonOf(await this.lease.run(asked, callOf(mode, bounds)));
  }

  close(): Promise<void> {
    return this.lease.close();
  }
}
