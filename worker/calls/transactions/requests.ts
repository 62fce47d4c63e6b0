/** Requests of a participant whose operations are sent in one call that commits. */
import { type Kind, kindSpec } from '../../../kinds/index.ts';
import type { RequestBase } from '../../../kinds/kind.ts';
import {
  type PointTo,
  ReferenceRoom,
  resolvedWithin,
  resolveReferences,
} from '../../../kinds/result-references.ts';
import { atOperation } from '../../../kinds/transaction.ts';
import type { JsonObject } from '../../../proto/json.ts';
import type { Operation } from './plan.ts';
import { mapReferences } from './references.ts';
import { sentOf } from './sent.ts';

/** Its requests: references to results of others are filled, those to its own count within the call. */
export function requestsOf(operations: readonly Operation[], point: PointTo): RequestBase[] {
  const own = operations.map(({ place }) => place);
  const room = new ReferenceRoom();
  const fill = (body: JsonObject) =>
    mapReferences(body, (place, path) => {
      const at = own.indexOf(place);
      if (at >= 0) return { $result: path.replace(/^\[\d+\]/, `[${at}]`) };
      const reference = { $result: path };
      return { $literal: resolveReferences(reference, point, 'kept', room) };
    });
  return operations.map(({ place: named, body, endpoint, uses, sent }) => {
    if (sent && uses.size === 0) return sent.request;
    const filled = atOperation(named, () => resolvedWithin(body, '', () => fill(body)));
    return sentOf(endpoint.row.kind, filled as JsonObject).request; // As the body.
  });
}

/** A request of a kind with results in place of its references. @throws GatewayError BAD_REQUEST naming where a bad one is */
export function filledWith(kind: Kind, body: JsonObject, point: PointTo): JsonObject {
  const literals = kindSpec(kind).keepsText === true ? 'kept' : 'unwrapped';
  const filled = resolvedWithin(body, '', () => resolveReferences(body, point, literals));
  return filled as JsonObject; // As what is given.
}
