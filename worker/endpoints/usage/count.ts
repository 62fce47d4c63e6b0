/**
 * Counts calls to endpoints in the isolate and writes the sums after replies, at most once a
 * second, so that no caller waits for them. What an isolate has not written when it ends is lost.
 */
import type { Mode } from '../../../proto/driver.ts';
import { type ErrorCode, GatewayError } from '../../../proto/errors.ts';
import type { Context, Database } from '../../context.ts';
import type { ConnectionStatus } from '../../db/schema.ts';
import { addUsage, type Counted } from './store.ts';

/** Milliseconds between two writes. */
const FLUSH_EVERY_MS = 1_000;
/** Milliseconds after which a planned write is given up: the request it waited in was ended. */
const PLAN_STALE_MS = 5_000;
/** Statements of one batch; D1 ends a batch that takes too long. */
const BATCH_MAX = 200;

/** Failures that say how the backend is; after others nothing new is known of it. */
const SEEN: Partial<Record<ErrorCode, ConnectionStatus>> = {
  REQUEST_FAILED: 'available',
  CONSTRAINT_VIOLATED: 'available',
  RESULT_TOO_LARGE: 'available',
  CONNECTION_FAILED: 'unavailable',
};

/** What is not written yet, and when it will be. */
interface Tally {
  counted: Map<string, Counted>;
  flushedAt: number;
  /** When the write that is planned was planned, if one is. */
  plannedAt: number | undefined;
}

/** Per isolate. */
const tallies = new WeakMap<Database, Tally>();

/** Counts one call that was sent to an endpoint; `failure` is what it threw, if it did. */
export function countCall(ctx: Context, endpoint: string, mode: Mode, failure?: unknown): void {
  const tally = tallyOf(ctx.db);
  const { orgUuid } = ctx.caller;
  const key = `${orgUuid}:${endpoint}`;
  const before = tally.counted.get(key);
  const status = statusAfter(failure);
  tally.counted.set(key, {
    orgUuid,
    endpointUuid: endpoint,
    reads: (before?.reads ?? 0) + (mode === 'read' ? 1 : 0),
    writes: (before?.writes ?? 0) + (mode === 'write' ? 1 : 0),
    errors: (before?.errors ?? 0) + (failure === undefined ? 0 : 1),
    status: status ?? before?.status,
    connectedAt: status === 'available' ? ctx.now() : before?.connectedAt,
  });
  planFlush(ctx, tally);
}

function statusAfter(failure: unknown): ConnectionStatus | undefined {
  if (failure === undefined) return 'available';
  return failure instanceof GatewayError ? SEEN[failure.code] : undefined;
}

function planFlush(ctx: Context, tally: Tally): void {
  const now = ctx.now();
  if (tally.plannedAt !== undefined && Math.abs(now - tally.plannedAt) < PLAN_STALE_MS) return;
  tally.plannedAt = now;
  const wait = Math.min(Math.max(0, tally.flushedAt + FLUSH_EVERY_MS - now), FLUSH_EVERY_MS);
  ctx.afterReply(flushIn(ctx, tally, wait));
}

async function flushIn(ctx: Context, tally: Tally, waitMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  const { counted } = tally;
  tally.counted = new Map();
  tally.flushedAt = ctx.now();
  tally.plannedAt = undefined;
  const statements = [...counted.values()].map((each) => addUsage(ctx.db, each));
  for (let at = 0; at < statements.length; at += BATCH_MAX) {
    const [first, ...rest] = statements.slice(at, at + BATCH_MAX);
    if (first) await ctx.db.batch([first, ...rest]);
  }
}

function tallyOf(db: Database): Tally {
  const known = tallies.get(db);
  if (known) return known;
  const made: Tally = {
    counted: new Map(),
    flushedAt: Number.NEGATIVE_INFINITY,
    plannedAt: undefined,
  };
  tallies.set(db, made);
  return made;
}
