/** Parameters of an operation with earlier results instead of references. Contract §6, "Transactions". */
import type { RowsRequest } from '../../../kinds/postgres/dialect/admit.ts';
import {
  type PointTo,
  resolvedWithin,
  resolveReferences,
} from '../../../kinds/result-references.ts';
import type { Json } from '../../../proto/json.ts';

/** @throws GatewayError BAD_REQUEST naming the parameter */
export function paramsWith(params: RowsRequest['params'], point: PointTo): Json {
  const given = (params ?? []) as Json; // They came as JSON.
  return resolvedWithin(given, 'params', () => resolveReferences(given, point, 'unwrapped'));
}
