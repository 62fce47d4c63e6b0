/** Messages of channels and lines of MONITOR, as they come. Contract §6, "Subscriptions". */

import {
  isPipeline,
  type RedisCommandRequest,
  type RedisRequest,
} from '../../../kinds/redis/command.ts';
import { canonicalName, effectOf } from '../../../kinds/redis/dialect/effects.ts';
import { fromReply } from '../../../kinds/redis/dialect/errors.ts';
import { messageJson, monitorJson } from '../../../kinds/redis/dialect/messages.ts';
import { ReplyError } from '../../../kinds/redis/reply-value.ts';
import type { Call, WatchEvent } from '../../../proto/driver.ts';
import { badRequest, GatewayError } from '../../../proto/errors.ts';
import { holdConnection } from '../hold.ts';
import type { BorrowedLink } from './link.ts';
import type { RedisBackend } from './run.ts';
import { sendOn } from './send.ts';
import { wordBytes } from './words.ts';

/** Characters of events that wait for a slow reader, before the server is held back. Spec silent. */
const WAITING_MAX = 1_048_576;

/**
 * Events until the caller leaves.
 * @throws GatewayError POOL_EXHAUSTED when as many subscriptions are open as is allowed
 */
export async function* follow(
  backend: RedisBackend,
  request: RedisRequest,
  call: Call,
): AsyncGenerator<WatchEvent> {
  if (isPipeline(request) || effectOf(request) !== 'subscribe') {
    throw badRequest('type', `Requests of type ${request.type} are not subscriptions`);
  }
  const end = holdConnection(backend.host);
  try {
    yield* eventsOf(backend, request, call, end);
  } finally {
    end();
  }
}

async function* eventsOf(
  { server }: RedisBackend,
  request: RedisCommandRequest,
  call: Call,
  ended: () => void,
): AsyncGenerator<WatchEvent> {
  const name = canonicalName(request);
  // Channels of shards are where keys of their names would be.
  const keys = name === 'ssubscribe' ? request.args.map(wordBytes) : [];
  const link = await server.borrow(keys, call.signal);
  const events = new Events(link, name === 'monitor' ? monitorJson : messageJson);
  const free = (): void => {
    link.onPush = undefined;
    link.onLost = undefined;
    link.release(false);
    ended();
  };
  // The reader may not ask for the next event any more.
  const leave = (): void => {
    events.end(call.signal.reason);
    free();
  };
  call.signal.addEventListener('abort', leave, { once: true });
  try {
    const [reply] = await sendOn(link, [request], { ...call, mode: 'read' });
    if (reply instanceof ReplyError) throw fromReply(reply);
    yield { data: new Uint8Array() };
    for (;;) yield { data: await events.next() };
  } finally {
    call.signal.removeEventListener('abort', leave);
    free();
  }
}

type MessageFormatter = (push: Parameters<typeof messageJson>[0]) => string | undefined;

/** A bounded queue of events: when it is full, the server's own buffer fills, and the server ends the connection. */
export class Events {
  readonly #link: BorrowedLink;
  #waiting: string[] = [];
  #length = 0;
  /** The server was held back: if it ends now, it has dropped what waited there. */
  #heldBack = false;
  #ended: { readonly reason: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(link: BorrowedLink, told: MessageFormatter) {
    this.#link = link;
    link.onPush = (push) => {
      const text = told(push);
      if (text !== undefined) this.#add(text);
    };
    link.onLost = () => this.end(this.#lossOf());
  }

  /** Whether an event waits to be taken. */
  get hasMore(): boolean {
    return this.#waiting.length > 0;
  }

  /** The next event's data. @throws what has ended them, once all that came before are taken */
  async next(): Promise<Uint8Array> {
    for (;;) {
      const text = this.#waiting.shift();
      if (text !== undefined) {
        this.#length -= text.length;
        if (this.#waiting.length === 0 && this.#heldBack) this.#link.resume();
        return Buffer.from(text);
      }
      if (this.#ended) throw this.#ended.reason;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }

  end(reason: unknown): void {
    this.#ended ??= { reason };
    this.#wake?.();
  }

  #add(text: string): void {
    this.#waiting.push(text);
    this.#length += text.length;
    if (this.#length > WAITING_MAX) {
      this.#heldBack = true;
      this.#link.pause();
    }
    this.#wake?.();
  }

  #lossOf(): GatewayError {
    return this.#heldBack
      ? new GatewayError(
          'SERVICE_UNAVAILABLE',
          'Messages were lost: they came faster than they were read, and the server has ended the subscription',
        )
      : new GatewayError('CONNECTION_FAILED', 'The connection to the database was lost');
  }
}
