/** Tells what an endpoint's backend holds, a page at a time, and remembers that for a minute. */
import * as z from 'zod';
import { TIMEOUT_DEFAULT_MS } from '../../kinds/members.ts';
import { Lru } from '../cache.ts';
import { JsonBytes, Outcome } from '../calls/outcome.ts';
import type { Context } from '../context.ts';
import { startDeadline } from '../drivers/deadline.ts';
import { type ListContext, type PageQuery, readCursor, writeCursor } from '../http/cursor.ts';
import type { Endpoint } from './access.ts';
import type { Backend } from './backend/backend.ts';
import { backendOf } from './backend/choose.ts';
import { InspectedTables, type SchemaPage } from './inspect-shapes.ts';
import { countCall } from './usage/count.ts';

/** Milliseconds for which a page is told again unasked. Spec silent. */
const REMEMBERED_MS = 60_000;
/** Pages that an isolate remembers, and their bytes together. Spec silent. */
const REMEMBERED_MAX = { pages: 1_000, bytes: 16 * 1024 * 1024 };

/** A page as it was told. */
interface Told {
  readonly page: Uint8Array;
  readonly toldAt: number;
}

const told = new Lru<Told>(REMEMBERED_MAX.pages, {
  most: REMEMBERED_MAX.bytes,
  of: ({ page }) => page.byteLength,
});

/** The last table of a page. */
const Place = z.tuple([z.string(), z.string()]);
type Place = z.infer<typeof Place>;

const encoder = new TextEncoder();

/**
 * A page of namespaces with their tables; `limit` counts tables. What the endpoint's credential
 * for reads may see, at most a minute old. Contract §13.
 * @throws GatewayError BAD_REQUEST for a cursor that is not of this list, NOT_SUPPORTED for kinds without, and what a call may end in
 */
export async function inspectEndpoint(
  ctx: Context,
  endpoint: Endpoint,
  { limit, cursor }: PageQuery,
): Promise<Outcome | JsonBytes> {
  const { row, policy } = endpoint;
  const list: ListContext = {
    settings: ctx.settings,
    orgUuid: row.orgUuid,
    sealedDataKey: policy.sealedDataKey,
    list: `schema:${row.uuid}`,
  };
  const last = await readCursor(list, cursor);
  const backend = await backendOf(ctx, endpoint, 'read');
  const name = JSON.stringify([
    row.orgUuid,
    backend.endpoint,
    backend.revision,
    backend.profile,
    limit,
    last,
  ]);
  const known = told.get(name);
  if (known && Math.abs(ctx.now() - known.toldAt) < REMEMBERED_MS) return new JsonBytes(known.page);
  const after = last === undefined ? undefined : Place.parse(JSON.parse(last));
  const { page, next } = await askFor(ctx, backend, limit, after);
  const whole: SchemaPage = next
    ? { ...page, next_cursor: await writeCursor(list, JSON.stringify(next)) }
    : page;
  const bytes = encoder.encode(JSON.stringify(whole));
  told.set(name, { page: bytes, toldAt: ctx.now() });
  return new Outcome(new JsonBytes(bytes), backend);
}

/** A page from the backend, and the place that the next one begins after. */
async function askFor(
  ctx: Context,
  backend: Backend,
  limit: number,
  after: Place | undefined,
): Promise<{ page: SchemaPage; next: Place | undefined }> {
  const deadline = startDeadline(ctx, TIMEOUT_DEFAULT_MS, backend.keepsTime);
  try {
    const answer = await backend.inspect({ limit, ...(after ? { after } : {}) }, deadline);
    countCall(ctx, backend.endpoint, backend.mode);
    const tables = InspectedTables.parse(answer.tables);
    const end = tables.at(-1);
    const next: Place | undefined = answer.more && end ? [end.namespace, end.name] : undefined;
    return { page: { namespaces: grouped(tables) }, next };
  } catch (thrown) {
    countCall(ctx, backend.endpoint, backend.mode, thrown);
    throw thrown;
  } finally {
    deadline.end();
  }
}

/** Tables under the namespaces that they come in the order of. */
function grouped(tables: z.infer<typeof InspectedTables>): SchemaPage['namespaces'] {
  const found = Map.groupBy(tables, ({ namespace }) => namespace);
  return [...found].map(([name, each]) => ({
    name,
    tables: each.map(({ namespace: _, ...table }) => table),
  }));
}
