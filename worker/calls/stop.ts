/** The stop of a self-hosted gateway, as calls in flight see it: until when they are held, and when they end. */
import { GatewayError } from '../../proto/errors.ts';

/** Milliseconds between two looks of what lasts whether the gateway stops. */
const LOOK_MS = 250;

interface Stop {
  /** Requests and replies wait until then at most. */
  readonly heldUntil: number;
  /** What still runs is ended. */
  readonly endsAt: number;
}

/** Of this isolate. */
let stop: Stop | undefined;

/** Requests are held for `holdMs` milliseconds at most, and what still runs is ended after `endMs`. The first stop counts. */
export function beginStop(holdMs: number, endMs: number): void {
  const now = Date.now();
  stop ??= { heldUntil: now + holdMs, endsAt: now + endMs };
}

/** Whether the stop has begun. */
export function isStopping(): boolean {
  return stop !== undefined;
}

/** Whether requests and replies are held by a stop. */
export function holds(): boolean {
  return stop !== undefined && Date.now() < stop.heldUntil;
}

/** What a call in flight is told that a stop ends. */
export function stopped(): GatewayError {
  return new GatewayError('SERVICE_UNAVAILABLE', 'The gateway is stopping', { retryAfter: 1 });
}

/** Whether what still runs is to end now. */
export function mustEnd(): boolean {
  return stop !== undefined && Date.now() >= stop.endsAt;
}

/**
 * Calls `end` once the gateway stops, at once or when what runs has to end. Answers what takes it
 * back, to be called in any case.
 */
export function onStop(when: 'at once' | 'at its end', end: () => void): () => void {
  const timer = setInterval(() => {
    if (when === 'at once' ? !isStopping() : !mustEnd()) return;
    clearInterval(timer);
    end();
  }, LOOK_MS);
  return () => clearInterval(timer);
}
