/**
 * What an isolate has to write of audits after its replies, and whose chains to wake. What
 * succeeded is an entry each, written within a second. Of what did not, the first of its sort is
 * written within a second, repeats are counted and written at most every five. What an isolate has
 * not written when it ends is lost, which entries of changes never are.
 */
import { LruMap } from '../../proto/lru-map.ts';
import type { Bindings, Database, PublicContext } from '../context.ts';
import { auditLimits } from '../limits/quotas/audit.ts';
import type { NewEntry } from './entry.ts';
import { insertEntries } from './write/store.ts';

/** Milliseconds between two writes, and between two wakings of one chain. */
const FLUSH_EVERY_MS = 1_000;
/** Milliseconds between two entries of one sort. */
const REPEAT_EVERY_MS = 5_000;
/** Milliseconds after which a planned write is given up: the request it waited in was ended. */
const STALE_MS = 5_000;
/** Sorts of entries that wait; beyond that what waits is written at once. */
const WAITING_MAX = 1_000;
/** Entries of one batch; D1 ends a batch that takes too long. */
const BATCH_MAX = 100;
/** Chains woken at the same time. */
const POKES_MAX = 50;

interface QueuedEntry {
  readonly entry: NewEntry;
  /** Whether later ones of its sort are counted with it. */
  readonly counts: boolean;
  /** Unix epoch milliseconds from which it is written. */
  readonly due: number;
}

interface Journal {
  readonly waiting: Map<string, QueuedEntry>;
  /** Organizations with entries that their chains do not know of. */
  changed: Set<string>;
  readonly writtenAt: LruMap<string, number>;
  flushedAt: number;
  /** When the next write is planned for, if one is. */
  plannedFor: number | undefined;
}

/** Per isolate. */
const journals = new WeakMap<Database, Journal>();

/** Wakes the organization's chain after the reply: there may be an entry of a change. */
export function noteChange(ctx: PublicContext, orgUuid: string): void {
  const journal = journalOf(ctx.db);
  journal.changed.add(orgUuid);
  plan(ctx, journal, nextFlush(journal, ctx.now()));
}

/** Takes an entry to be written after the reply. */
export function noteEntry(ctx: PublicContext, entry: NewEntry): void {
  const journal = journalOf(ctx.db);
  const counts = entry.outcome !== 'success';
  const sort = counts ? sortOf(entry) : crypto.randomUUID();
  const before = journal.waiting.get(sort);
  const due = before?.due ?? dueOf(journal, sort, ctx.now());
  const repeats = entry.repeats + (before?.entry.repeats ?? 0);
  journal.waiting.set(sort, { entry: { ...(before?.entry ?? entry), repeats }, counts, due });
  const isFull = journal.waiting.size >= WAITING_MAX;
  plan(ctx, journal, isFull ? nextFlush(journal, ctx.now()) : due);
}

/** Entries of one sort tell the same except for time and request: nothing is hidden behind the first. */
function sortOf(entry: NewEntry): string {
  const { orgUuid, actor, action, resource, outcome, address, details } = entry;
  return JSON.stringify([orgUuid, actor, action, resource, outcome, address, details]);
}

function dueOf(journal: Journal, sort: string, now: number): number {
  const writtenAt = journal.writtenAt.get(sort);
  const next = nextFlush(journal, now);
  if (writtenAt === undefined || writtenAt > now + REPEAT_EVERY_MS) return next;
  return Math.max(next, writtenAt + REPEAT_EVERY_MS);
}

/** At once, or a second after the last; a clock that was set back delays nothing. */
function nextFlush({ flushedAt }: Journal, now: number): number {
  return now + Math.min(Math.max(0, flushedAt + FLUSH_EVERY_MS - now), FLUSH_EVERY_MS);
}

function plan(ctx: PublicContext, journal: Journal, due: number): void {
  const now = ctx.now();
  const planned = journal.plannedFor;
  const isStale = planned !== undefined && (planned < now - STALE_MS || planned > now + STALE_MS);
  if (planned !== undefined && !isStale && planned <= due) return;
  journal.plannedFor = due;
  ctx.afterReply(flushAt(ctx, journal, due));
}

async function flushAt(ctx: PublicContext, journal: Journal, due: number): Promise<void> {
  const wait = Math.min(Math.max(0, due - ctx.now()), REPEAT_EVERY_MS);
  await new Promise((resolve) => setTimeout(resolve, wait));
  if (journal.plannedFor === due) journal.plannedFor = undefined;
  journal.flushedAt = due;
  const entries = take(journal, due);
  const { changed } = journal;
  journal.changed = new Set();
  for (const { orgUuid } of entries) changed.add(orgUuid);
  await write(ctx, entries);
  await pokeChains(ctx.env, [...changed]);
  const next = Math.min(...[...journal.waiting.values()].map((each) => each.due));
  if (Number.isFinite(next)) plan(ctx, journal, next);
}

/** Takes out what is due, or everything when too much waits. */
function take(journal: Journal, due: number): NewEntry[] {
  const all = journal.waiting.size >= WAITING_MAX;
  const taken: NewEntry[] = [];
  for (const [sort, each] of journal.waiting) {
    if (!all && each.due > due) continue;
    journal.waiting.delete(sort);
    if (each.counts) journal.writtenAt.set(sort, due);
    taken.push(each.entry);
  }
  return taken;
}

/** Those of one organization together. */
async function write({ db, settings }: PublicContext, entries: readonly NewEntry[]): Promise<void> {
  const limits = auditLimits(settings);
  for (let at = 0; at < entries.length; at += BATCH_MAX) {
    const byOrganization = Map.groupBy(entries.slice(at, at + BATCH_MAX), (each) => each.orgUuid);
    const [first, ...rest] = [...byOrganization].flatMap(([orgUuid, own]) =>
      insertEntries(db, orgUuid, own, limits),
    );
    if (first) await db.batch([first, ...rest]);
  }
}

/** Tells organizations' chains that there may be new entries; one that fails is left to the sweep. */
export async function pokeChains(env: Bindings, orgUuids: readonly string[]): Promise<void> {
  for (let at = 0; at < orgUuids.length; at += POKES_MAX) {
    const pokes = orgUuids
      .slice(at, at + POKES_MAX)
      .map((orgUuid) => env.AUDIT_CHAIN.getByName(orgUuid).poke(orgUuid));
    await Promise.allSettled(pokes);
  }
}

function journalOf(db: Database): Journal {
  const known = journals.get(db);
  if (known) return known;
  const made: Journal = {
    waiting: new Map(),
    changed: new Set(),
    writtenAt: new LruMap(WAITING_MAX),
    flushedAt: Number.NEGATIVE_INFINITY,
    plannedFor: undefined,
  };
  journals.set(db, made);
  return made;
}
