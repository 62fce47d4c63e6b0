/** What a run is started with: versions of what it names, retention, rights. Spec: workflows.md §1 "Versions", §6. */
import { GatewayError } from '../../../proto/errors.ts';
import { remembered } from '../../access/policy.ts';
import type { Context } from '../../context.ts';
import { RETENTION_DAYS } from '../../limits/quotas/audit.ts';
import { loadReach } from '../../reach/load.ts';
import { pinsNothing } from './definitions.ts';
import type { Order, Pins, WorkflowVersion } from './head.ts';
import { selectNamed, selectRetention } from './store.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Milliseconds that stand for "keep for ever": a hundred years. */
const FOR_EVER_MS = 36_500 * DAY_MS;

/** A version of a workflow. */
export type VersionOf = Pick<WorkflowVersion, 'uuid' | 'version'>;
/** A resource that a version names, as it is now. */
export type NamedResource = Awaited<ReturnType<typeof selectNamed>>[number];

/** What a version names. Usually this takes no trip to D1. */
export async function namedIn(ctx: Context, version: VersionOf): Promise<readonly NamedResource[]> {
  return (await load(ctx, version)).named;
}

/** Versions of what a version names, as they are now, and how long its runs are kept. */
export async function pinned(
  ctx: Context,
  version: VersionOf,
): Promise<{ readonly pins: Pins; readonly retentionMs: number }> {
  const { named, days } = pinsNothing(version)
    ? { named: [], days: await retentionOf(ctx) }
    : await load(ctx, version);
  const templates: Record<string, string> = {};
  const workflows: Record<string, WorkflowVersion> = {};
  const nested: Record<string, string> = {};
  for (const { target, templateUuid, templateVersion, workflow } of named) {
    if (workflow !== null) workflows[target] = workflow;
    if (templateUuid === null || templateVersion === null) continue;
    templates[target] = templateVersion;
    const reach = await loadReach(ctx, { uuid: templateUuid, version: templateVersion });
    for (const { uuid, version: own } of reach.templates)
      if (uuid !== templateUuid) nested[uuid] = own;
  }
  const hasNested = Object.keys(nested).length > 0;
  return {
    pins: { templates, workflows, ...(hasNested ? { nested } : {}) },
    retentionMs: days === 0 ? FOR_EVER_MS : days * DAY_MS,
  };
}

function load(ctx: Context, version: VersionOf) {
  const { orgUuid } = ctx.caller;
  const key = `workflow-names:${version.uuid}:${version.version}`;
  return remembered(ctx, key, async () => {
    const [named, [kept]] = await ctx.db.batch([
      selectNamed(ctx.db, orgUuid, version),
      selectRetention(ctx.db, orgUuid),
    ]);
    return { named, days: kept?.days ?? RETENTION_DAYS };
  });
}

/** Days. */
function retentionOf(ctx: Context): Promise<number> {
  const { orgUuid } = ctx.caller;
  return remembered(ctx, 'workflow-retention', async () => {
    const [kept] = await selectRetention(ctx.db, orgUuid);
    return kept?.days ?? RETENTION_DAYS;
  });
}

/** A paused workflow starts nothing. */
export function paused(id: string): GatewayError {
  return new GatewayError('WORKFLOW_PAUSED', `Workflow ${id} is paused`);
}

/** Bytes that a call of an object may take, less some for what goes with the text. */
const SENT_MAX_BYTES = 32 * 1024 * 1024 - 4 * 1024;
/** What is wrong with an input whose order does not fit. */
export const LARGE = 'is larger than what a run can be started with';

/** An order as its object takes it; undefined where it is too large for that, which no repeat would change. */
export function textOfOrder(order: Order): string | undefined {
  const text = JSON.stringify(order);
  // Characters take two bytes each as soon as one is not of Latin-1.
  const bytes = /[\u0100-\uffff]/.test(text) ? 2 * text.length : text.length;
  return bytes <= SENT_MAX_BYTES ? text : undefined;
}
