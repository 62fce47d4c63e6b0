/** Definitions of all templates that a run reaches. A new isolate reads them beside what they reach, not after it. */
import { LruMap } from '../../proto/lru-map.ts';
import type { Context } from '../context.ts';
import type { TemplateVersionRow } from '../db/templates.ts';
import { inPieces } from '../limits/heavy-work.ts';
import type { Reach } from '../reach/reach.ts';
import { type Pins, selectReachedDefinitions } from '../reach/store.ts';
import type { Compiled } from '../templates/compiled.ts';
import { memoryOf, readVersion } from '../templates/read.ts';
import { selectVersions } from '../templates/store.ts';

/** A version of a template, by the template's UUID. */
interface Root {
  readonly uuid: string;
  readonly version: string;
}

/** Definitions that are being read before it is known which are needed. */
type Early = Promise<readonly TemplateVersionRow[]>;

/** Versions per isolate. */
const CAPACITY = 10_000;
/** By organization, template and version: those that were read early once. */
const begun = new LruMap<string, true>(CAPACITY);

/** Begins to read all definitions that are reached, once in an isolate: later they are remembered. */
export function readEarly(ctx: Context, root: Root, pins: Pins | undefined): Early | undefined {
  const { orgUuid } = ctx.caller;
  const key = `${orgUuid}:${root.uuid}:${root.version}`;
  if (begun.get(key)) return undefined;
  begun.set(key, true);
  const roots = { versions: [root], templates: [], endpoints: [], pins };
  const early = selectReachedDefinitions(ctx.db, orgUuid, roots).then((rows) => rows);
  // A caller who is refused does not wait for them.
  early.catch(() => {});
  return early;
}

/** Every template that is reached, by UUID; definitions that are neither remembered nor read early take one trip. */
export async function readAll(
  ctx: Context,
  reach: Reach,
  root: Root & { readonly id: string },
  early: Early | undefined,
): Promise<ReadonlyMap<string, Compiled>> {
  const { orgUuid } = ctx.caller;
  const wanted = reach.templates.map((row) => (row.uuid === root.uuid ? { ...row, ...root } : row));
  const memories = wanted.map((each) => ({
    ...each,
    memory: memoryOf(orgUuid, each, kindsOf(reach, each.uuid)),
  }));
  const read = new Map<string, Compiled>();
  for (const { uuid, memory } of memories) {
    const known = memory.get();
    if (known) read.set(uuid, known);
  }
  const missing = memories.filter(({ uuid }) => !read.has(uuid));
  if (missing.length === 0) return read;
  for (const row of await rowsOf(ctx, missing, early)) {
    const holder = missing.find(isOf(row));
    if (!holder) continue;
    const reading = readVersion(holder.id, row, (endpoint) => reach.kindOf(endpoint));
    const compiled = await inPieces(ctx, reading);
    holder.memory.set(compiled);
    read.set(holder.uuid, compiled);
  }
  return read;
}

/** Those that were read early, if these are all; else they are asked for. */
async function rowsOf(ctx: Context, missing: readonly Root[], early: Early | undefined) {
  const rows = (await early) ?? [];
  const versions = missing.map(({ uuid, version }) => ({ uuid, version }));
  if (versions.every((each) => rows.some((row) => isOf(row)(each)))) return rows;
  return selectVersions(ctx.db, ctx.caller.orgUuid, versions);
}

function isOf({ templateUuid, version }: TemplateVersionRow) {
  return (of: Root) => of.uuid === templateUuid && of.version === version;
}

function kindsOf(reach: Reach, uuid: string): string[] {
  return reach
    .stepsOf(uuid)
    .flatMap(({ kind, id }) => (kind === 'endpoint' ? [reach.kindOf(id) ?? ''] : []));
}
