/** Where the object of a node is. */
import type { Bindings } from '../context.ts';
import type { NodeName } from './object.ts';

/** The object of a node. */
export function nodeObject({ RELAY_NODES }: Bindings, { orgUuid, uuid }: NodeName) {
  return RELAY_NODES.getByName(`${orgUuid}:${uuid}`);
}
