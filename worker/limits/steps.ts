/**
 * Limits that many requests count against. One question to the platform's limiter costs more than a
 * whole request (0.7 ms of a core, measured locally), so an isolate counts by itself and asks
 * once in many requests, after a reply: what one isolate serves is limited exactly, what several
 * serve together to within one step of each.
 */
import { LruMap } from '../../proto/lru-map.ts';
import type { PublicContext } from '../context.ts';
import { type Limit, tooMany } from './rate.ts';

/** A limit whose binding counts steps of many requests each. */
export interface SteppedLimit extends Limit {
  /** Requests that one question to the binding stands for; the quota is a multiple of it. */
  readonly step: number;
}

/** What an isolate counted of one key since the window began. */
interface Window {
  /** Unix epoch milliseconds. */
  readonly endsAt: number;
  count: number;
  /** The platform's limiter said that others count as well, and that it is enough. */
  spent: boolean;
}

/** Windows per isolate and limit. */
const CAPACITY = 10_000;
const windows = new Map<string, LruMap<string, Window>>();

/**
 * Counts one more of what `key` names. `RATE_LIMITS=off` switches it off.
 * @throws GatewayError RATE_LIMITED with `Retry-After`, the seconds until the window ends, and `RateLimit-Policy`
 */
export function countInSteps(ctx: PublicContext, limit: SteppedLimit, key: string): void {
  if (ctx.settings.RATE_LIMITS === 'off') return;
  const now = ctx.now();
  const window = windowOf(limit, key, now);
  if (window.spent || window.count >= limit.quota) {
    throw tooMany(limit, Math.max(1, Math.ceil((window.endsAt - now) / 1000)));
  }
  window.count += 1;
  if (window.count % limit.step === 0) ctx.afterReply(ask(ctx, limit, key, window));
}

function windowOf(limit: SteppedLimit, key: string, now: number): Window {
  const lengthMs = limit.windowSeconds * 1000;
  const own = windows.get(limit.name) ?? new LruMap<string, Window>(CAPACITY);
  windows.set(limit.name, own);
  const known = own.get(key);
  // A clock that was set back begins a new one.
  if (known && now < known.endsAt && known.endsAt <= now + lengthMs) return known;
  const made = { endsAt: now + lengthMs, count: 0, spent: false };
  own.set(key, made);
  return made;
}

/** Counts one more step at the platform's limiter; a limiter that fails refuses no call. */
async function ask(
  ctx: PublicContext,
  limit: SteppedLimit,
  key: string,
  window: Window,
): Promise<void> {
  const { success } = await limit.binding(ctx.env).limit({ key });
  if (!success) window.spent = true;
}
