/** Subscriptions and MONITOR as server-sent events. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from './commands.ts';
import type { RedisConnections } from './connection.ts';
import { isError, type Resp2 } from './resp2.ts';

/** What is subscribed to, by the first word of the path. */
export const STREAMS = new Set(['subscribe', 'psubscribe', 'monitor']);

/**
 * Answers events until the client leaves.
 * @throws Refusal
 */
export async function stream(
  connections: RedisConnections,
  words: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!request.headers.accept?.includes('text/event-stream')) {
    throw new Refusal('ERR Accept header should be text/event-stream');
  }
  const connection = await connections.own();
  const [first] = await connection.send([words]);
  if (first === undefined || isError(first.value)) {
    connections.leave(connection);
    throw new Refusal(first && isError(first.value) ? first.value.error : 'ERR no reply');
  }
  response.on('close', () => connections.leave(connection));
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const tell = (value: Resp2) => response.write(`data: ${lineOf(value)}\n\n`);
  tell(first.value);
  connection.onMessage = (message) => tell(message.value);
}

/** `message,chat,hello`; of MONITOR its line as it is. */
function lineOf(value: Resp2): string {
  if (Array.isArray(value)) return value.map((each: Resp2) => lineOf(each)).join(',');
  if (Buffer.isBuffer(value)) return value.toString('utf8');
  if (value === null || !('simple' in value))
    return value && 'integer' in value ? value.integer : '';
  return value.simple === 'OK' ? '"OK"' : value.simple;
}
