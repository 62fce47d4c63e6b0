/** A Redis endpoint of a test's own. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Gateway } from './gateway.ts';
import { newOrganization, type Organization, type Reply } from './organization.ts';
import { backend } from './servers/backends.ts';
import { onRedis, type PlainReply } from './servers/redis-server.ts';

/** An endpoint, and the server behind it. */
export interface RedisEndpoint {
  readonly organization: Organization;
  /** The path of an operation on it. */
  at(path: string): string;
  read(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  write(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** Opens a session; answers the header that names it. */
  open(): Promise<{ 'X-Session-Id': string }>;
  /** Says a command line to the server from outside. */
  say(text: string): Promise<PlainReply>;
  drop(): Promise<void>;
}

/**
 * Makes an organization with such an endpoint.
 * @param url the database; by default one of the run's server that no other test uses
 */
export async function redisEndpoint(gateway: Gateway, url?: string): Promise<RedisEndpoint> {
  const own = new URL(url ?? (await freeDatabase()));
  const organization = await newOrganization(gateway);
  const endpoint = `re-${randomUUID().slice(0, 8)}`;
  const body = { endpoint, kind: 'redis', config: { write_conn: { url: own.href } } };
  expect(await organization.call('POST', '/endpoints', body)).toMatchObject({
    status: 200,
    body: { data: { kind: 'Redis' } },
  });
  const at = (path: string) => `/endpoints/${endpoint}/${path}`;
  const say = async (text: string) => {
    const [reply = null] = await onRedis(own.href, text.split(' '));
    return reply;
  };
  return {
    organization,
    at,
    read: (request, headers) => organization.call('POST', at('read'), request, headers),
    write: (request, headers) => organization.call('POST', at('write'), request, headers),
    async open() {
      const reply = await organization.call('POST', at('sessions'));
      const { session_id } = (reply.body as { data: { session_id: string } }).data;
      return { 'X-Session-Id': session_id };
    },
    say,
    drop: async () => {
      await say('FLUSHDB');
    },
  };
}

async function freeDatabase(): Promise<string> {
  const { url } = await backend('redis');
  const database = new URL(url);
  // It has 1,024 of them, and others use the first sixteen.
  const [used] = await onRedis(url, ['INCR', 'databases of tests']);
  database.pathname = `/${16 + (Number(used) % 1008)}`;
  return database.href;
}
