/** Pages of a list: how many entries, and from where on. Contract §1, "Lists". */
import * as z from 'zod';
import { badRequest } from '../../proto/errors.ts';
import type { Context } from '../context.ts';
import { type SealingContext, seal, unsealForeign } from '../secrets/seal.ts';
import { SAMPLE } from './sample.ts';

const LIMIT_MAX = 1000;

/** Query of a list: `limit` of 1 to 1000, by default 1000, and the `next_cursor` of an earlier reply. */
export const PageQuery = z.strictObject({
  limit: z
    .string()
    .refine((text) => /^[1-9]\d{0,3}$/.test(text), `must be a number from 1 to ${LIMIT_MAX}`)
    .transform(Number)
    .refine((limit) => limit <= LIMIT_MAX, `must be a number from 1 to ${LIMIT_MAX}`)
    .default(LIMIT_MAX)
    .meta({
      description: 'Most entries of the page',
      // What is parsed is a text: the description is of the number in it.
      override: {
        type: 'integer',
        minimum: 1,
        maximum: LIMIT_MAX,
        default: LIMIT_MAX,
        examples: [50],
      },
    }),
  cursor: z
    .string()
    .min(1)
    .optional()
    .meta({
      description:
        'The `next_cursor` of the page before, with the same filters; left out, the list begins at its first entry',
      examples: [SAMPLE.cursor],
    }),
});

export type PageQuery = z.output<typeof PageQuery>;

/** Which list a cursor is of; in another organization or list, or with other filters, it does not open. */
export interface ListContext extends Omit<SealingContext, 'purpose'> {
  /** For example `endpoints`. */
  readonly list: string;
  /** All that the list is asked for but its page, as one text; empty where that is nothing. */
  readonly filters: string;
}

/** A list of the caller's organization. What its call asks for is part of it, so that no list can forget one of its filters. */
export function listContext(
  { settings, caller, query }: Pick<Context, 'settings' | 'caller' | 'query'>,
  sealedDataKey: string,
  list: string,
): ListContext {
  const { orgUuid } = caller;
  return { settings, orgUuid, sealedDataKey, list, filters: filtersOf(query ?? {}) };
}

/** Filters in one order, however they were given. */
function filtersOf(query: object): string {
  const given = Object.entries(query).filter(
    ([name, value]) => value !== undefined && !Object.hasOwn(PageQuery.shape, name),
  );
  return given.length === 0 ? '' : JSON.stringify(given.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Rows of a list. */
interface Listing<Row> {
  /** Those after the one of that name, in the order of names: one more than a page has, where there are more. */
  select(after: string | undefined): PromiseLike<readonly Row[]>;
  nameOf(row: Row): string;
}

/**
 * The rows of a page, and the member of its reply that says where the next one begins.
 * @throws GatewayError BAD_REQUEST for a cursor that is not of this list and its filters
 */
export async function readPage<Row>(
  context: ListContext,
  { limit, cursor }: Pick<PageQuery, 'limit'> & { readonly cursor?: string | undefined },
  { select, nameOf }: Listing<Row>,
): Promise<{ rows: readonly Row[]; next: { next_cursor?: string } }> {
  const found = await select(await readCursor(context, cursor));
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, next: last ? { next_cursor: await writeCursor(context, nameOf(last)) } : {} };
}

/** An opaque cursor after the entry that `last` names. */
export function writeCursor(context: ListContext, last: string): Promise<string> {
  return seal(sealing(context), last);
}

/**
 * The name of the entry that a cursor is after; `undefined` without a cursor.
 * @throws GatewayError BAD_REQUEST when it is forged, of another list, or of other filters. Contract §13
 */
export async function readCursor(
  context: ListContext,
  cursor: string | undefined,
): Promise<string | undefined> {
  if (cursor === undefined) return undefined;
  const last = await unsealForeign(sealing(context), cursor);
  if (last !== undefined) return last;
  throw badRequest('cursor', 'is not one of this list');
}

function sealing({ list, filters, ...context }: ListContext): SealingContext {
  return { ...context, purpose: `cursor:${list}${filters}` };
}
