/** Places in a result, sealed so that no caller can make one up or take it elsewhere. */
import { badRequest } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import type { Host } from '../driver.ts';

/** What a place belongs to, besides the endpoint. */
interface PageOwner {
  readonly query: string;
  readonly params?: readonly Json[] | { readonly [name: string]: Json } | undefined;
}

/** Where a page begins. */
interface PagePosition {
  readonly state: Buffer;
  /** Rows of the pages before: a page under a LIMIT must not be larger, or the server begins again. */
  readonly size: number;
}

const SIZE_BYTES = 4;

/** The place after a page, sealed; null after the last. */
export function sealedState(
  host: Host,
  owner: PageOwner,
  state: Buffer | undefined,
  size: number,
): string | null {
  if (!state || state.length === 0) return null;
  const head = Buffer.alloc(SIZE_BYTES);
  head.writeUInt32BE(size);
  return host.seal(Buffer.concat([head, state]), bindingOf(owner));
}

/**
 * The place again.
 * @throws GatewayError BAD_REQUEST for another statement's, another endpoint's or no state at all
 */
export function openedState(
  host: Host,
  owner: PageOwner,
  sealed: string | undefined,
): PagePosition | undefined {
  if (sealed === undefined) return undefined;
  const clear = host.unseal(sealed, bindingOf(owner));
  if (clear) {
    const bytes = Buffer.from(clear);
    return { size: bytes.readUInt32BE(0), state: bytes.subarray(SIZE_BYTES) };
  }
  const message = 'is not of this endpoint, statement and parameters';
  throw badRequest('paging_state', message);
}

function bindingOf({ query, params }: PageOwner): string {
  return JSON.stringify(['cassandra paging', query, params ?? []]);
}
