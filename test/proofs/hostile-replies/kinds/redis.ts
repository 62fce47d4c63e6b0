/** Hostile Redis servers. Source: redis.io/docs/latest/develop/reference/protocol-spec. */
import { DirectClient } from '../../../../node-relay/drivers/redis/test/direct-client.ts';
import { ownRedis } from '../../../servers/redis-server.ts';
import type { Framing, HostileKind, KindCall } from '../kind.ts';

const CHANNEL = 'news';
/** Milliseconds between two messages of the real server. */
const EVERY_MS = 5;

const framing: Framing = {
  messages(reply) {
    const messages: Buffer[] = [];
    for (let at = 0; at < reply.length; ) {
      const end = Math.min(endOf(reply, at) ?? reply.length, reply.length);
      messages.push(reply.subarray(at, end));
      at = end;
    }
    return messages;
  },
};

/** Where a reply ends; undefined where not all of it is there. */
function endOf(bytes: Buffer, at: number): number | undefined {
  const line = bytes.indexOf('\r\n', at);
  if (line < 0) return undefined;
  const type = String.fromCharCode(bytes[at] ?? 0);
  const next = line + 2;
  const count = Number(bytes.toString('latin1', at + 1, line));
  if ('$=!'.includes(type)) return count < 0 ? next : next + count + 2;
  if (!'*~>%|'.includes(type)) return next;
  let end: number | undefined = next;
  for (let left = type === '%' || type === '|' ? 2 * count : count; left > 0; left -= 1) {
    end = end === undefined ? undefined : endOf(bytes, end);
  }
  return end;
}

const run = (name: string, request: KindCall['request'], more: Partial<KindCall> = {}) =>
  ({ name, method: 'run', mode: 'read', request, ...more }) satisfies KindCall;

export const kind: HostileKind = {
  kind: 'redis',
  framing,
  calls: [
    run('get', { type: 'get', args: ['text'] }),
    run('hash', { type: 'hgetall', args: ['hash'] }),
    run('scores', { type: 'zrange', args: ['scores', '0', '-1', 'WITHSCORES'] }),
    run('info', { type: 'info', args: ['keyspace'] }),
    run('page', { type: 'scan', args: ['0', 'COUNT', '10'] }),
    run('many', {
      pipeline: [
        { type: 'get', args: ['text'] },
        { type: 'lrange', args: ['list', '0', '-1'] },
        { type: 'smembers', args: ['set'] },
        { type: 'get', args: ['list'] },
      ],
    }),
    run('write', { type: 'set', args: ['written', 'x'] }, { mode: 'write' }),
    run('wait', { type: 'xread', args: ['BLOCK', '200', 'STREAMS', 'stream', '0'] }),
    run('refused', { type: 'get', args: ['list'] }, { fails: 'REQUEST_FAILED' }),
    run('subscribe', { type: 'subscribe', args: [CHANNEL] }, { method: 'watch' }),
  ],
  async start() {
    const server = await ownRedis({ modules: false });
    const outside = await DirectClient.connect(server.url);
    await outside.send('SET', 'text', 'a text of some length, with an é');
    await outside.send('RPUSH', 'list', ...Array.from({ length: 100 }, (_, at) => `item ${at}`));
    await outside.send('SADD', 'set', 'a', 'b');
    await outside.send(
      'HSET',
      'hash',
      'name',
      'one',
      'price',
      '1.5',
      'data',
      Buffer.from([0, 255]),
    );
    await outside.send('ZADD', 'scores', '1.5', 'a', '2', 'b', 'inf', 'c');
    for (const id of ['1-1', '1-2']) await outside.send('XADD', 'stream', id, 'field', 'value');
    const timer = setInterval(() => void outside.send('PUBLISH', CHANNEL, 'hello'), EVERY_MS);
    const { hostname, port } = new URL(server.url);
    return {
      host: hostname,
      port: Number(port),
      connection: (host, at) => ({ url: `redis://${host}:${at}/0` }),
      async stop() {
        clearInterval(timer);
        outside.close();
        await server.stop();
      },
    };
  },
};
