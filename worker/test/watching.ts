/** Subscriptions of tests: a kind that answers events, a relay that reports them, and a reader. */
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { type Kind, kindSpec } from '../../kinds/index.ts';
import type { WatchRequest, WatchResponse } from '../../proto/gen/relay/v1/relay_pb.ts';
import { bytes, text } from './running.ts';

/** A request that answers events, once `answerEvents` was called. */
export const WATCH = { type: 'query', query: 'select 1' };
/** What a caller sends to have them. */
export const EVENTS = { Accept: 'text/event-stream' };
/** Milliseconds between two comments. */
export const BEAT_MS = 5_000;
/** Milliseconds between two looks at the caller's rights. */
export const LOOK_MS = 15_000;

const KIND: Kind = 'postgres';

/** No type of this kind answers events: in the tests of this file one of them does. */
export function answerEvents(): void {
  beforeEach(() => {
    Object.assign(kindSpec(KIND), { watches: ['query'] });
  });
  afterEach(() => {
    vi.useRealTimers();
    Object.assign(kindSpec(KIND), { watches: undefined });
  });
}

/** An event as the relay reports it. */
export const event = (data: unknown, id = '') => ({ id, event: bytes(JSON.stringify(data)) });
/** The first that the relay reports: the subscription is active. */
export const accepted = { id: '', event: new Uint8Array() };

/** A relay that reports these and then nothing more; `left` is once it was told to stop. */
export function telling(...events: readonly Pick<WatchResponse, 'id' | 'event'>[]) {
  const asked: WatchRequest[] = [];
  const { promise: left, resolve } = Promise.withResolvers<void>();
  return {
    asked,
    left,
    async *watch(request: WatchRequest, { signal }: { signal: AbortSignal }) {
      asked.push(request);
      signal.addEventListener('abort', () => resolve());
      yield accepted;
      yield* events;
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  };
}

/** What is read of a response, one event or comment at a time. */
export function reading(response: Response) {
  const reader = response.body?.getReader();
  return {
    async next(): Promise<string | undefined> {
      const read = await reader?.read();
      return read?.value === undefined ? undefined : text(read.value);
    },
    cancel: () => reader?.cancel(),
  };
}

/** What the event of a failure reports. */
export const errorEvent = (read: string | undefined): unknown => {
  const [first, data = '', ...rest] = (read ?? '').split('\n');
  expect([first, rest]).toEqual(['event: error', ['', '']]);
  return JSON.parse(data.slice('data: '.length));
};
