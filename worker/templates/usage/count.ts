/** Counts runs of templates by day. Spec: "Template detail response", `usage`. */
import type { Context } from '../../context.ts';
import { Tally } from '../../db/tally.ts';
import type { TemplateRow } from '../../db/templates.ts';
import { addUsage, type Counted } from './store.ts';

const tally = new Tally<Counted>(addUsage);

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days since 1970, UTC. @param ms Unix epoch milliseconds */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** Counts one run, whatever it ended in. @param durationMs of the run alone */
export function countRun(
  ctx: Context,
  { orgUuid, uuid: templateUuid }: TemplateRow,
  durationMs: number,
): void {
  const day = dayOf(ctx.now());
  tally.count(ctx, `${orgUuid}:${templateUuid}:${day}`, (before) => ({
    orgUuid,
    templateUuid,
    day,
    invocations: (before?.invocations ?? 0) + 1,
    durationMs: (before?.durationMs ?? 0) + Math.max(0, Math.round(durationMs)),
  }));
}
