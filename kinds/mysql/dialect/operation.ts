/** Requests as operations of a transaction. Contract §6, "Transactions". */
import { badRequest } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import {
  isUnreferring,
  membersWith,
  type PointTo,
  ReferenceRoom,
  resolvedWithin,
  resolveReferences,
} from '../../result-references.ts';
import type { MysqlRequest } from '../index.ts';
import { checkType, oneStatement } from './admit.ts';
import { hasNames, type RowsRequest } from './parameters.ts';

/** A request as an operation of a transaction. @throws GatewayError BAD_REQUEST for types that cannot be one */
export function operationFrom(request: MysqlRequest): RowsRequest {
  checkType(request, 'write');
  switch (request.type) {
    case 'simple':
    case 'simple_read_only':
    case 'batch_execute': {
      const message = `Requests of type ${request.type} cannot be part of a transaction`;
      throw badRequest('type', message, message);
    }
    default:
      oneStatement(request.query, hasNames(request), 'transaction');
      return request;
  }
}

/** Parameters with earlier results instead of references. A name among the parameters is no operator, even when it is the only one. */
export function paramsWith(params: NonNullable<RowsRequest['params']>, point: PointTo): Json {
  if (isUnreferring(params)) return params;
  const room = new ReferenceRoom();
  const resolved = (value: Json) => resolveReferences(value, point, 'unwrapped', room);
  return resolvedWithin(params, 'params', () =>
    Array.isArray(params) ? params.map(resolved) : membersWith(params, resolved),
  );
}
