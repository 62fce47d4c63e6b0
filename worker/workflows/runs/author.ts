/** Whose rights a run of a workflow has, where these are not the caller's. Spec: keys-and-doors.md §2. */

import { LruMap } from '../../../proto/lru-map.ts';
import { authorContext } from '../../access/door/door.ts';
import type { Context } from '../../context.ts';
import { selectAuthor } from '../triggers/store.ts';
import { makeReady } from './definitions.ts';
import type { RunAuthor, WorkflowVersion } from './head.ts';
import { sourceOf } from './source.ts';
import { selectNamed, type VersionName } from './store.ts';

/** Who stored a version. */
type StoredBy = Omit<Awaited<ReturnType<typeof selectAuthor>>[number], 'definition'>;

/** Milliseconds for which it is remembered: only the name of the account changes, and it is just shown. Spec silent. */
const KNOWN_FOR_MS = 60_000;
const KNOWN_MAX = 10_000;
const known = new LruMap<string, { readonly author: StoredBy; readonly at: number }>(KNOWN_MAX);

/** Who stored a version, whose definition is ready then; undefined where it is no more. Usually this takes no trip to D1. */
export async function storedBy(
  { db, caller: { orgUuid }, now }: Context,
  { uuid, version }: VersionName,
): Promise<StoredBy | undefined> {
  const name = `${orgUuid}:${uuid}:${version}`;
  const before = known.get(name);
  const age = before ? now() - before.at : -1;
  if (before && age >= 0 && age < KNOWN_FOR_MS) return before.author;
  const at = now();
  const [[row], named] = await db.batch([
    selectAuthor(db, orgUuid, { uuid, version }),
    selectNamed(db, orgUuid, { uuid, version }),
  ]);
  if (!row) return undefined;
  const { definition, ...author } = row;
  await makeReady(orgUuid, { uuid, version }, sourceOf(definition, named));
  known.set(name, { author, at });
  return author;
}

/** The author of a version whose runs have the author's rights; undefined where there is no such version. */
export async function authorOf(
  ctx: Context,
  version: WorkflowVersion,
): Promise<RunAuthor | undefined> {
  const row = await storedBy(ctx, version);
  return row && { uuid: row.authorUuid, name: row.username ?? row.createdBy, workflow: version.id };
}

/** The context with a run's rights. @throws GatewayError FORBIDDEN where its author is no account */
export function withRightsOf(ctx: Context, author: RunAuthor | undefined): Context {
  if (author === undefined) return ctx;
  return authorContext(ctx, { kind: 'workflow', id: author.workflow }, author.uuid);
}
