/**
 * Tells an organization's object what became of deliveries: after replies, at most once a second of
 * each isolate, so that no sender waits for it. A name of a delivery is kept before the reply.
 */
import type { PublicContext } from '../../context.ts';
import type { Note } from '../../deliveries/object.ts';
import type { Owner } from '../../workflows/runs/object.ts';

/** Milliseconds from the first note that waits to the write. */
const FLUSH_AFTER_MS = 1_000;
/** Milliseconds after which a planned write is given up: the request it waited in was ended. */
const STALE_MS = 5_000;
/** Notes of an organization that wait; of more those alone are kept that name a delivery, which the limit of deliveries bounds. */
const WAITING_MAX = 1_000;

interface PlannedNotes {
  readonly owner: Owner;
  readonly plannedAt: number;
  /** The last of each trigger; and all that name a delivery. */
  readonly notes: Map<string, Note>;
}

/** By organization, per isolate. */
const waiting = new Map<string, PlannedNotes>();

/** Notes what became of a delivery. */
export function noteDelivery(ctx: PublicContext, owner: Owner, note: Note): void {
  const known = waiting.get(owner.orgUuid);
  const isPlanned = known && Math.abs(ctx.now() - known.plannedAt) < STALE_MS;
  const kept = isPlanned ? known : plan(ctx, owner, known);
  const { workflow, index, digest, isTrusted } = note;
  const key = JSON.stringify([workflow, index, digest ?? isTrusted]);
  const hasRoom = kept.notes.size < WAITING_MAX || kept.notes.has(key);
  if (hasRoom || digest !== undefined) kept.notes.set(key, note);
}

function plan(ctx: PublicContext, owner: Owner, before: PlannedNotes | undefined): PlannedNotes {
  const made = { owner, plannedAt: ctx.now(), notes: before?.notes ?? new Map<string, Note>() };
  waiting.set(owner.orgUuid, made);
  ctx.afterReply(flush(ctx, owner.orgUuid));
  return made;
}

async function flush(ctx: PublicContext, orgUuid: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, FLUSH_AFTER_MS));
  const kept = waiting.get(orgUuid);
  if (!kept) return;
  waiting.delete(orgUuid);
  const notes = [...kept.notes.values()].toSorted((one, other) => one.at - other.at);
  await ctx.env.WEBHOOK_DELIVERIES.getByName(orgUuid).note(kept.owner, notes);
}
