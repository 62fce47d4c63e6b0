/** Has the objects of nodes forget what they hold: their organization is gone. */
import type { PublicContext } from '../context.ts';
import { nodeObject } from './node-object.ts';
import { selectNodes } from './store.ts';

/** Nodes at a time. */
const PAGE = 100;

/** Empties the objects of all of the organization's nodes; their rows, which name them, go next. */
export async function forgetNodes({ env, db }: PublicContext, orgUuid: string): Promise<void> {
  let after: string | undefined;
  do {
    const rows = await selectNodes(db, orgUuid, { after, limit: PAGE });
    await Promise.all(rows.map(({ uuid }) => nodeObject(env, { orgUuid, uuid }).forget()));
    after = rows[PAGE - 1]?.name;
  } while (after !== undefined);
}
