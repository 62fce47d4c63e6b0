/** Writes of actions whose `idempotencyKey` the endpoint's backend keeps. Spec: transactions.md §7, workflows.md §4. */
import type { Json } from '../../../proto/json.ts';
import type { Context } from '../../context.ts';
import { type Endpoint, onEndpoint } from '../../endpoints/access.ts';
import type { Key } from '../../idempotency/rule.ts';
import type { EndpointAction } from '../definition/tree.ts';
import type { Failure, Node } from '../engine/journal.ts';
import type { RunRow } from './journal.ts';

/** Codes after which a write may have its effect, or may have it yet: the same mark tells. */
const POSSIBLE = new Set([
  ...['CANCELLED', 'INTERNAL', 'NODE_UNAVAILABLE', 'OUTCOME_UNKNOWN'],
  ...['REPLY_NOT_KEPT', 'SERVICE_UNAVAILABLE', 'TIMED_OUT'],
]);

/** What the backend knows the write of an action by, in all attempts of one claim of its key. */
export function markedKeyOf(
  { id, head }: Pick<RunRow, 'id' | 'head'>,
  { action, state }: Pick<Node, 'action' | 'state'>,
): Key | undefined {
  const { key, claim } = state;
  if (key === undefined || claim === undefined) return undefined;
  return { key, target: ['workflow', head.workflow.uuid, action, id, String(claim)] };
}

/** Whether the backend of an action keeps the keys of its writes. */
export function keepsKeys({ operation }: EndpointAction, { row }: Endpoint): boolean {
  return operation === 'write' && row.oncePlace !== null;
}

/** As `keepsKeys`, of an action whose call was cut off; false where its endpoint cannot be asked. */
export async function isKeptByBackend(
  ctx: () => Context,
  action: EndpointAction,
): Promise<boolean> {
  try {
    const { resource } = await onEndpoint('Read').find(ctx(), { endpoint: action.endpoint });
    return keepsKeys(action, resource);
  } catch {
    return false;
  }
}

/** A failure of a marked write: what the backend refused has no effect, nor had an attempt before it. */
export function asTheMarkTells(failure: Failure): Failure {
  const { code, effect, details } = failure;
  if (effect !== undefined) return failure;
  if (POSSIBLE.has(code)) return { ...failure, effect: 'possible' };
  return isOfBackend(details) ? { ...failure, effect: 'none' } : failure;
}

function isOfBackend(details: Json | undefined): boolean {
  if (!Array.isArray(details)) return false;
  return details.some((each) => typeof each === 'object' && each !== null && 'source' in each);
}
