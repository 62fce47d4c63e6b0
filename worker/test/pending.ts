/** What calls of tests wait for: answers, and the work that goes on after them. */
import { log } from '../log.ts';

/** Work that goes on after a reply. */
export interface Pending {
  /** Where it came from. */
  readonly from: Error;
  ended?: Promise<void>;
  isOver: boolean;
}

/** Work that has begun, which may fail. */
export function pendingOf(work: Promise<unknown>): Pending {
  const each: Pending = { from: new Error('Work after a reply does not end'), isOver: false };
  each.ended = work
    .catch(() => undefined)
    .then(() => {
      each.isOver = true;
    });
  return each;
}

/** Milliseconds after which a test goes on without work that does not end, and says where that came from. */
const SETTLED_MS = 20_000;

/** Waits for work to end, and goes on without what does not. */
export async function settled(works: readonly Pending[]): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, SETTLED_MS);
  });
  await Promise.race([late, Promise.all(works.map(({ ended }) => ended))]);
  clearTimeout(timer ?? null);
  for (const { from, isOver } of works) {
    if (!isOver) log('warn', from.message, { from: from.stack ?? '' });
  }
}

/** Milliseconds after which a call has not been answered, which its test is told before it runs out of time. */
const ANSWERED_MS = 45_000;

/** The answer to a call. @throws Error that names the call when none comes */
export async function inTime(what: string, answer: Promise<Response>): Promise<Response> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const tell = () => reject(new Error(`${what} was not answered within ${ANSWERED_MS} ms`));
    timer = setTimeout(tell, ANSWERED_MS);
  });
  try {
    return await Promise.race([late, answer]);
  } finally {
    clearTimeout(timer ?? null);
  }
}
