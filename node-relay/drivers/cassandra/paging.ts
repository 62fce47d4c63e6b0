/** Places in a result, sealed so that no caller can make one up or take it elsewhere. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import type { Host } from '../driver.ts';

/** What a place belongs to, beside the endpoint. */
export interface PageOwner {
  readonly query: string;
  readonly params?: readonly Json[] | { readonly [name: string]: Json } | undefined;
}

/** The server's place after a page, sealed; null after the last. */
export function sealedState(
  host: Host,
  owner: PageOwner,
  state: Buffer | undefined,
): string | null {
  return state && state.length > 0 ? host.seal(state, bindingOf(owner)) : null;
}

/**
 * The server's place again.
 * @throws GatewayError BAD_REQUEST for another statement's, another endpoint's or no state at all
 */
export function openedState(
  host: Host,
  owner: PageOwner,
  sealed: string | undefined,
): Buffer | undefined {
  if (sealed === undefined) return undefined;
  const state = host.unseal(sealed, bindingOf(owner));
  if (state) return Buffer.from(state);
  const message = 'is not of this endpoint, statement and parameters';
  throw new GatewayError('BAD_REQUEST', `paging_state: ${message}`, {
    details: [{ path: 'paging_state', message }],
  });
}

function bindingOf({ query, params }: PageOwner): string {
  return JSON.stringify(['cassandra paging', query, params ?? []]);
}
