/** Requests of a participant whose operations are sent in one call that commits. */
import type { RequestBase } from '../../../kinds/kind.ts';
import {
  type PointTo,
  ReferenceRoom,
  resolveReferences,
} from '../../../kinds/result-references.ts';
import type { JsonObject } from '../../../proto/json.ts';
import { type Operation, sentOf } from './plan.ts';
import { mapReferences } from './references.ts';

/** Its requests: references to results of others are filled, those to its own count within the call. */
export function requestsOf(operations: readonly Operation[], point: PointTo): RequestBase[] {
  const own = operations.map(({ place }) => place);
  const room = new ReferenceRoom();
  return operations.map(({ body, endpoint }) => {
    const filled = mapReferences(body, (place, path) => {
      const at = own.indexOf(place);
      if (at >= 0) return { $result: path.replace(/^\[\d+\]/, `[${at}]`) };
      const reference = { $result: path };
      return { $literal: resolveReferences(reference, point, 'kept', room) };
    });
    return sentOf(endpoint.row.kind, filled as JsonObject).request; // As the body.
  });
}
