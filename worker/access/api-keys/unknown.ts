/** Bounds how often an address may show keys that nobody has: each costs a question to the database. */
import { GatewayError } from '../../../proto/errors.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import { subscriberOf } from '../../limits/rate.ts';

/** Unknown keys of an address in a minute, and at once. Spec silent. */
const QUOTA = 300;
const WINDOW_S = 60;
/** Addresses that an isolate remembers. */
const CAPACITY = 10_000;

interface Shown {
  /** Unknown keys that count still. */
  count: number;
  /** Unix epoch milliseconds. */
  at: number;
}

const shown = new LruMap<string, Shown>(CAPACITY);

/** @throws GatewayError RATE_LIMITED while an address has shown too many; keys that are remembered are not asked for here */
export function demandFewUnknown(address: string, now: number): void {
  if (countOf(address, now).count < QUOTA) return;
  throw new GatewayError('RATE_LIMITED', 'Too many requests: try again later', {
    retryAfter: 1,
    headers: { 'RateLimit-Policy': `"unknown-keys";q=${QUOTA};w=${WINDOW_S}` },
  });
}

/** Counts one. */
export function noteUnknown(address: string, now: number): void {
  countOf(address, now).count += 1;
}

function countOf(address: string, now: number): Shown {
  const name = subscriberOf(address);
  const known = shown.get(name) ?? { count: 0, at: now };
  shown.set(name, known);
  const seconds = Math.max(0, now - known.at) / 1000;
  known.count = Math.max(0, known.count - (seconds * QUOTA) / WINDOW_S);
  known.at = now;
  return known;
}
