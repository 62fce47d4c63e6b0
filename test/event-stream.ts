/** Server-sent events as a browser would have them, one after another. */
import { expect } from 'vitest';
import type { Organization } from './organization.ts';

/** One event; comments, and the place of the beginning, are none. */
export interface Told {
  /** To go on after, where the backend has such. */
  readonly id: string | undefined;
  /** `message` where it has no name of its own. */
  readonly event: string;
  readonly data: unknown;
}

/** A subscription that is active. */
export interface Subscription {
  /** @throws Error when the stream has ended */
  next(): Promise<Told>;
  /** A server of your own notices that with the next event, or the next comment. */
  leave(): void;
}

/** Subscribes as the organization's SuperAdmin; `path` is below /api/v1. */
export async function subscribe(
  organization: Organization,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Subscription> {
  const controller = new AbortController();
  const response = await organization.send('POST', path, body, {
    headers: { Accept: 'text/event-stream', ...headers },
    signal: controller.signal,
  });
  expect([response.status, response.headers.get('Content-Type')]).toEqual([
    200,
    'text/event-stream',
  ]);
  const events = eventsOf(response);
  return {
    async next() {
      const { value, done } = await events.next();
      if (done) throw new Error('The stream has ended');
      return value;
    },
    leave: () => controller.abort(),
  };
}

async function* eventsOf({ body }: Response): AsyncGenerator<Told> {
  let text = '';
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (text + piece).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: ?(.*)$/m.exec(block)?.[1];
      if (!data) continue;
      yield {
        id: /^id: ?(.*)$/m.exec(block)?.[1],
        event: /^event: ?(.*)$/m.exec(block)?.[1] ?? 'message',
        data: JSON.parse(data),
      };
    }
  }
}
