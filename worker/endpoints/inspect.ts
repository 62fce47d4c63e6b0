/** Reports what an endpoint's backend holds, a page at a time, and remembers that for a minute. */
import * as z from 'zod';
import { TIMEOUT_DEFAULT_MS } from '../../kinds/members.ts';
import type { InspectedTable, InspectedTables } from '../../proto/driver.ts';
import type { Json } from '../../proto/json.ts';
import { bytesInPieces } from '../../proto/json-bytes.ts';
import { LruMap } from '../../proto/lru-map.ts';
import { backendOf } from '../calls/backend/choose.ts';
import { answeredBy } from '../calls/request.ts';
import type { Context } from '../context.ts';
import { readInTurn } from '../limits/heavy-work.ts';
import { JsonBytes, type Outcome, outcomeOf } from '../outcome.ts';
import { listContext, type PageQuery, readCursor, writeCursor } from '../shapes/cursor.ts';
import type { Endpoint } from './access.ts';
import type { SchemaPage } from './inspect-shapes.ts';

/** Milliseconds for which a page is told again unasked. Spec silent. */
const REMEMBERED_MS = 60_000;
/** Pages that an isolate remembers, and their bytes together. Spec silent. */
const REMEMBERED_MAX = { pages: 1_000, bytes: 16 * 1024 * 1024 };

/** A page as it was told. */
interface CachedPage {
  readonly page: Uint8Array;
  readonly toldAt: number;
}

const told = new LruMap<string, CachedPage>(REMEMBERED_MAX.pages, {
  most: REMEMBERED_MAX.bytes,
  of: ({ page }) => page.byteLength,
});

/** The last table of a page. */
const TableKey = z.tuple([z.string(), z.string()]);
type TableKey = z.infer<typeof TableKey>;

/** Of a column with its type, about. */
const CHARACTERS_OF_MEMBER = 60;

/**
 * A page of namespaces with their tables; `limit` counts tables. What the endpoint's credential
 * for reads may see, at most a minute old. Contract §13.
 */
export function inspectEndpoint(
  ctx: Context,
  endpoint: Endpoint,
  { limit, cursor }: PageQuery,
): Promise<Outcome> {
  return outcomeOf(async (known) => {
    const { row, policy } = endpoint;
    const list = listContext(ctx, policy.sealedDataKey, `schema:${row.uuid}`);
    const last = await readCursor(list, cursor);
    const backend = await backendOf(ctx, endpoint, 'read');
    const { profile } = backend.target;
    const name = JSON.stringify([row.orgUuid, row.uuid, row.poolRevision, profile, limit, last]);
    const kept = told.get(name);
    if (kept && Math.abs(ctx.now() - kept.toldAt) < REMEMBERED_MS) return new JsonBytes(kept.page);
    const after = last === undefined ? undefined : TableKey.parse(JSON.parse(last));
    const asked = { limit, ...(after ? { after } : {}) };
    const answer = await answeredBy(ctx, backend, TIMEOUT_DEFAULT_MS, known, (deadline) =>
      backend.inspect(asked, deadline),
    );
    const { page, next } = pageOf(answer);
    const whole: SchemaPage = next
      ? { ...page, next_cursor: await writeCursor(list, JSON.stringify(next)) }
      : page;
    const bytes = await readInTurn(ctx, lengthOf(answer), bytesInPieces(whole as unknown as Json));
    told.set(name, { page: bytes, toldAt: ctx.now() });
    return new JsonBytes(bytes);
  });
}

/** Characters of a page, about: enough to tell a large one from others. */
function lengthOf({ tables }: InspectedTables): number {
  const members = tables.map(({ columns, indexes }) => 4 + columns.length + indexes.length);
  return CHARACTERS_OF_MEMBER * members.reduce((sum, each) => sum + each, 0);
}

/** The page, and the place that the next one begins after. */
function pageOf({ tables, more }: InspectedTables) {
  const end = tables.at(-1);
  const next: TableKey | undefined = more && end ? [end.namespace, end.name] : undefined;
  return { page: { namespaces: grouped(tables) }, next };
}

/** Tables under the namespaces that they come in the order of. */
function grouped(tables: readonly InspectedTable[]): SchemaPage['namespaces'] {
  const found = Map.groupBy(tables, ({ namespace }) => namespace);
  return [...found].map(([name, each]) => ({
    name,
    tables: each.map(({ namespace: _, columns, primary_key, indexes, ...table }) => ({
      ...{ ...table, columns: [...columns], primary_key: [...primary_key] },
      indexes: indexes.map((index) => ({ ...index, columns: [...index.columns] })),
    })),
  }));
}
