/** Writes whose keys an endpoint's backend keeps, with their effect. Spec: transactions.md §7. */
import type { OnceMark } from '../../proto/once.ts';
import type { Context } from '../context.ts';
import type { Endpoint } from '../endpoints/access.ts';
import { markOf } from '../idempotency/mark.ts';
import type { RequestOptions } from './request.ts';

/** The mark of a write; undefined where it has no key, or its endpoint keeps none. */
export async function onceMarkOf(
  { caller, settings }: Context,
  { row, policy: { sealedDataKey } }: Endpoint,
  { key, bytes = new Uint8Array() }: RequestOptions,
): Promise<OnceMark | undefined> {
  if (key === undefined || row.oncePlace === null) return undefined;
  const what = [caller.userUuid, ...key.target, key.key];
  const sealing = { settings, orgUuid: row.orgUuid, sealedDataKey };
  return markOf(sealing, { endpoint: row.uuid, what, body: bytes }, row.oncePlace);
}
