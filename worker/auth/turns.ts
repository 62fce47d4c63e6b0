/**
 * One password hash at a time. A hash holds the isolate for some 50 ms, so requests take turns,
 * and whatever else is ready runs between two of them.
 */
import { GatewayError } from '../../proto/errors.ts';
import type { PublicContext } from '../context.ts';

/** Contract §3, "Passwords". */
export const MAX_WAITING = 64;
/** Seconds until most of a full line has gone. */
const RETRY_AFTER_S = 5;
/** How long one who finds the line empty waits, and how much longer each one behind him. */
const FIRST_MS = 1;
const STEP_MS = 10;
const LONGEST_MS = 300;
/** Between two hashes: without it the next timer is overdue already, and nothing else gets a chance. */
const REST_MS = 10;
/** A request that has not looked for so long was ended by the runtime: its place is free. */
const GONE_MS = 5_000;

interface Place {
  lookedAt: number;
}
const line: Place[] = [];

/**
 * Runs `work` when its turn has come. The runtime ends a request that awaits what only another
 * request will resolve, so each one looks by a timer of its own whether it is first; and it keeps
 * its turn when the client goes away, so that nobody behind it waits for nothing.
 * @throws GatewayError SERVICE_UNAVAILABLE when 64 are waiting
 */
export function inTurn<Result>(
  ctx: Pick<PublicContext, 'afterReply'>,
  work: () => Result,
): Promise<Result> {
  leave((place) => Date.now() - place.lookedAt > GONE_MS);
  if (line.length >= MAX_WAITING) return Promise.reject(tooMany());
  const own: Place = { lookedAt: Date.now() };
  line.push(own);
  const done = waitFor(own)
    .then(work)
    .finally(() => leave((place) => place === own));
  ctx.afterReply(done.then(nothing, nothing));
  return done;
}

async function waitFor(own: Place): Promise<void> {
  const mustRest = line.length > 1;
  do {
    const ahead = line.indexOf(own);
    await look(own, Math.min(FIRST_MS + ahead * STEP_MS, LONGEST_MS));
  } while (line.indexOf(own) > 0);
  if (mustRest) await look(own, REST_MS);
}

async function look(own: Place, afterMs: number): Promise<void> {
  await scheduler.wait(afterMs);
  own.lookedAt = Date.now();
  leave((place) => own.lookedAt - place.lookedAt > GONE_MS);
}

function leave(isGone: (place: Place) => boolean): void {
  for (let index = line.length - 1; index >= 0; index -= 1) {
    const place = line[index];
    if (place && isGone(place)) line.splice(index, 1);
  }
}

function tooMany(): GatewayError {
  return new GatewayError('SERVICE_UNAVAILABLE', 'Too many passwords wait to be checked', {
    retryAfter: RETRY_AFTER_S,
  });
}

function nothing(): void {}
