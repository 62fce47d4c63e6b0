/** Messages of channels and lines of MONITOR, as Upstash reports them. Contract §6, "Subscriptions". */

import {
  isPipeline,
  type RedisCommandRequest,
  type RedisRequest,
} from '../../../../kinds/redis/command.ts';
import { fromReply } from '../../../../kinds/redis/dialect/errors.ts';
import { messageJson, monitorJson } from '../../../../kinds/redis/dialect/messages.ts';
import { ReplyError } from '../../../../kinds/redis/reply-value.ts';
import type { Call, WatchEvent } from '../../../../proto/driver.ts';
import { badRequest } from '../../../../proto/errors.ts';
import { Lost } from '../driver.ts';
import { networkFailure } from '../network-failure.ts';
import { notBinary, pathOf, textsOf } from './binary.ts';
import { strange, type UpstashDatabase } from './database.ts';
import { dataOf, partsOf } from './events.ts';
import { lacks } from './lacks.ts';

const TAKEN = new Set(['subscribe', 'psubscribe', 'monitor']);
const encoder = new TextEncoder();

/** Events until the caller leaves. @throws GatewayError */
export async function* follow(
  line: UpstashDatabase,
  request: RedisRequest,
  call: Call,
): AsyncGenerator<WatchEvent> {
  if (isPipeline(request)) throw badRequest('type', 'pipeline is not a subscription');
  if (!TAKEN.has(request.type)) throw lacks(request.type, 'holds to a connection');
  const names = textsOf(request.args);
  if (!names) throw notBinary();
  const body = await line.events(pathOf([request.type, ...names]), call);
  if (body instanceof ReplyError) throw fromReply(body);
  if (!(body instanceof ReadableStream)) throw strange();
  try {
    yield* eventsOf(request, dataOf(body));
  } catch (cause) {
    throw networkFailure(cause, call.signal);
  }
  throw new Lost('CONNECTION_FAILED', 'The connection to the database was lost');
}

/** What the vendor reports once it has confirmed all that was asked for. */
async function* eventsOf(
  request: RedisCommandRequest,
  data: AsyncIterable<string>,
): AsyncGenerator<WatchEvent> {
  let unconfirmed = Math.max(1, request.args.length);
  for await (const each of data) {
    const parts = partsOf(request, each);
    const isConfirmation = request.type === 'monitor' ? each === '"OK"' : parts[0] === request.type;
    if (isConfirmation) {
      unconfirmed -= 1;
      if (unconfirmed === 0) yield { data: new Uint8Array() };
      continue;
    }
    const json =
      request.type === 'monitor'
        ? monitorJson(each)
        : messageJson(parts.map((part) => encoder.encode(part)));
    if (json !== undefined) yield { data: encoder.encode(json) };
  }
}
