/**
 * Remembers what users did last, and when keys were used: kept in the isolate and written after replies, at most once a
 * second, so that no caller waits for it. What an isolate has not written when it ends is lost.
 */
import { actionOf } from '../../audit/action.ts';
import type { Context, Database } from '../../context.ts';
import type { AnyRoute } from '../../route.ts';
import { addOperations, noteKeyUse, OPERATIONS_KEPT } from './store.ts';

/** Milliseconds from the first operation that waits to the write. */
const FLUSH_AFTER_MS = 1_000;
/** Milliseconds after which a planned write is given up: the request it waited in was ended. */
const STALE_MS = 5_000;
/** Users that wait; beyond that what they do is not noted until the next write. */
const WAITING_MAX = 10_000;
/** Statements of one batch; D1 ends a batch that takes too long. */
const BATCH_MAX = 100;

interface Done {
  readonly route: AnyRoute;
  readonly params: Readonly<Record<string, string>>;
  /** Unix epoch milliseconds. */
  readonly at: number;
}

interface PlannedActivity {
  readonly orgUuid: string;
  readonly accountUuid: string;
  /** Oldest first, at most as many as are kept. */
  readonly done: Done[];
}

interface KeyUse {
  readonly orgUuid: string;
  readonly keyUuid: string;
  /** Unix epoch milliseconds. */
  at: number;
}

interface Notes {
  waiting: Map<string, PlannedActivity>;
  /** By UUID. */
  keys: Map<string, KeyUse>;
  /** When the next write was planned, if one is. */
  plannedAt: number | undefined;
}

/** Per isolate. */
const notes = new WeakMap<Database, Notes>();

/**
 * Notes an operation of the caller. What any member may do, such as reading `/help` or their own
 * record, is not noted; nor is what keys do, which the audit reports. Spec silent.
 */
export function noteOperation(
  ctx: Context,
  route: AnyRoute,
  params: Readonly<Record<string, string>>,
): void {
  if (route.access.level === 'Member' || ctx.caller.key) return;
  const kept = notesOf(ctx.db);
  const { orgUuid, userUuid: accountUuid } = ctx.caller;
  const key = `${orgUuid}:${accountUuid}`;
  const known = kept.waiting.get(key);
  if (!known && kept.waiting.size >= WAITING_MAX) return;
  const done = known?.done ?? [];
  if (!known) kept.waiting.set(key, { orgUuid, accountUuid, done });
  done.push({ route, params, at: ctx.now() });
  if (done.length > OPERATIONS_KEPT) done.shift();
  plan(ctx, kept);
}

/** Notes that the caller's key was used, whatever came of it. Nothing is noted of runs: they go on without its text. */
export function noteUse(ctx: Context): void {
  const { orgUuid, key } = ctx.caller;
  if (key?.digest === undefined) return;
  const kept = notesOf(ctx.db);
  const known = kept.keys.get(key.uuid);
  if (known) known.at = ctx.now();
  else if (kept.keys.size < WAITING_MAX) {
    kept.keys.set(key.uuid, { orgUuid, keyUuid: key.uuid, at: ctx.now() });
  }
  plan(ctx, kept);
}

function plan(ctx: Context, kept: Notes): void {
  const now = ctx.now();
  if (kept.plannedAt !== undefined && Math.abs(now - kept.plannedAt) < STALE_MS) return;
  kept.plannedAt = now;
  ctx.afterReply(flush(ctx, kept));
}

async function flush(ctx: Context, kept: Notes): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, FLUSH_AFTER_MS));
  const { waiting, keys } = kept;
  kept.waiting = new Map();
  kept.keys = new Map();
  kept.plannedAt = undefined;
  const operations = [...waiting.values()].map(({ orgUuid, accountUuid, done }) =>
    addOperations(ctx.db, orgUuid, accountUuid, done.toReversed().map(doneOperation)),
  );
  const uses = [...keys.values()].map(({ orgUuid, keyUuid, at }) =>
    noteKeyUse(ctx.db, orgUuid, keyUuid, at),
  );
  const statements = [...operations, ...uses];
  for (let at = 0; at < statements.length; at += BATCH_MAX) {
    const [first, ...rest] = statements.slice(at, at + BATCH_MAX);
    if (first) await ctx.db.batch([first, ...rest]);
  }
}

function doneOperation({ route, params, at }: Done) {
  const [name, named] = Object.entries(params)[0] ?? [];
  return {
    operation: actionOf(route),
    resource: name === undefined ? 'organization' : `${name}:${named}`,
    timestamp: new Date(at).toISOString(),
  };
}

function notesOf(db: Database): Notes {
  const known = notes.get(db);
  if (known) return known;
  const made: Notes = { waiting: new Map(), keys: new Map(), plannedAt: undefined };
  notes.set(db, made);
  return made;
}
