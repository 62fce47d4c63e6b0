/** Server-sent events as a body: what arrives, a comment in between, and how it ends. Source: WHATWG HTML, "Server-sent events". */
import type { WatchResponse } from '../../proto/gen/relay/v1/relay_pb.ts';
import { noReply } from '../drivers/no-reply.ts';

/** Media type that asks for events, and that they come under. */
export const EVENT_STREAM = 'text/event-stream';

/** An event as relays tell it. */
type WatchEvent = Pick<WatchResponse, 'id' | 'event'>;

/** A subscription that is active: its first event has come, without data. */
export interface Subscription {
  /** Where it began, for clients that lose the connection before the first event; may be empty. */
  readonly id: string;
  readonly rest: AsyncIterator<WatchEvent>;
}

/** What happens at the end of a subscription; each is called at most once, and one of the three in any case. */
interface SubscriptionEndings {
  ended(): void;
  /** The client has gone. */
  cancelled(): void;
  /** The body of the error that the client is told. */
  failed(thrown: unknown): object;
}

/** A body under way. */
interface EventBody {
  readonly body: ReadableStream<Uint8Array>;
  /** Sends a comment, so that nothing between here and the client takes the line for dead. */
  beat(): void;
  /** Ends with an error, whatever else would come. */
  fail(thrown: unknown): void;
}

const COMMENT = ':\n\n';
/** What ends a line, and what a client takes no id with. Source: WHATWG HTML, "Server-sent events". */
const NO_ID = /[\r\n\0]/;
const LINE_ENDS = [0x0a, 0x0d];
const encoder = new TextEncoder();

/**
 * Waits until the backend has accepted.
 * @param look at the data of each event, which may throw
 * @throws what the call ends in before that, or `noReply` of an event that is more than its lines
 */
export async function opened(
  messages: AsyncIterable<WatchEvent>,
  look?: (event: Uint8Array) => Promise<void>,
): Promise<Subscription> {
  const rest = inLines(messages, look);
  const first = await rest.next();
  return { id: first.done ? '' : first.value.id, rest };
}

/** Events whose id and data are one line each: what has more could forge others. */
async function* inLines(
  messages: AsyncIterable<WatchEvent>,
  look: (event: Uint8Array) => Promise<void> = async () => {},
): AsyncGenerator<WatchEvent> {
  for await (const each of messages) {
    if (NO_ID.test(each.id) || LINE_ENDS.some((end) => each.event.includes(end))) {
      throw noReply(false, 'an event is more than a line');
    }
    if (each.event.byteLength > 0) await look(each.event);
    yield each;
  }
}

/** What a body has to send next. */
interface NextEvents {
  beats: boolean;
  arrived: IteratorResult<WatchEvent> | undefined;
  failure: { readonly thrown: unknown } | undefined;
}

/** The events as they are read; it begins with a comment, so that the client learns that it is active. */
export function eventBody(
  { id: begun, rest }: Subscription,
  endings: SubscriptionEndings,
): EventBody {
  const pending: NextEvents = {
    beats: true,
    arrived: { done: false, value: { id: begun, event: new Uint8Array() } },
    failure: undefined,
  };
  let isAsked = false;
  let wake = (): void => {};

  function fail(thrown: unknown): void {
    pending.failure ??= { thrown };
    wake();
  }

  function ask(): void {
    if (isAsked) return;
    isAsked = true;
    rest.next().then((arrived) => {
      isAsked = false;
      pending.arrived = arrived;
      wake();
    }, fail);
  }

  /** What is to be sent now; nothing while it has to be waited for. */
  function next(): { readonly text?: Uint8Array; readonly last?: true } | undefined {
    const { failure, beats, arrived } = pending;
    if (failure) {
      const told = JSON.stringify(endings.failed(failure.thrown));
      return { text: encoder.encode(`event: error\ndata: ${told}\n\n`), last: true };
    }
    if (beats) {
      pending.beats = false;
      return { text: encoder.encode(COMMENT) };
    }
    pending.arrived = undefined;
    if (arrived?.done) {
      endings.ended();
      return { last: true };
    }
    const text = arrived && eventBytes(arrived.value);
    return text && { text };
  }

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (;;) {
      const sent = next();
      if (sent?.text) controller.enqueue(sent.text);
      if (sent?.last) controller.close();
      if (sent) return;
      // One that waits is woken: races against a promise that stays would keep all of them.
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      ask();
      await woken;
    }
  }

  return {
    body: new ReadableStream({ pull, cancel: endings.cancelled }, { highWaterMark: 0 }),
    beat() {
      pending.beats = true;
      wake();
    },
    fail,
  };
}

/** One event; its data is JSON without line breaks. Without data it moves on where a client resumes, and no more. */
function eventBytes({ id, event }: WatchEvent): Uint8Array | undefined {
  const place = id === '' ? '' : `id: ${id}\n`;
  if (event.byteLength === 0) return place === '' ? undefined : encoder.encode(`${place}\n`);
  const head = encoder.encode(`${place}data: `);
  const text = new Uint8Array(head.byteLength + event.byteLength + 2);
  text.set(head);
  text.set(event, head.byteLength);
  text.fill(0x0a, head.byteLength + event.byteLength);
  return text;
}
