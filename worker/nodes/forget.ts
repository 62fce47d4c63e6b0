/** Has the objects of nodes forget what they hold: their organization is gone. */
import type { PublicContext } from '../context.ts';
import { nodeObject } from './node-object.ts';
import { selectNodeUuids } from './store.ts';

/** Nodes of one round of the sweep, which comes again. */
const ROUND_MAX = 500;

/** Empties the objects of the organization's nodes; their rows go next. */
export async function forgetNodes({ env, db }: PublicContext, orgUuid: string): Promise<void> {
  const rows = await selectNodeUuids(db, orgUuid, ROUND_MAX);
  await Promise.all(rows.map(({ uuid }) => nodeObject(env, { orgUuid, uuid }).forget()));
}
