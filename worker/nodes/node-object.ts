/** Where the object of a node is, and which node an object is of. */
import type { Bindings } from '../context.ts';
import type { NodeName } from './object.ts';

/** Where its tunnels are opened; what the runtime does with the host is nothing. */
export const OPEN_URL = 'http://node/tunnel';

/** The object of a node. */
export function nodeObject({ RELAY_NODES }: Bindings, { orgUuid, uuid }: NodeName) {
  return RELAY_NODES.getByName(`${orgUuid}:${uuid}`);
}

/** The node whose object has that name. */
export function nodeNamed(name: string): NodeName {
  const [orgUuid = '', uuid = ''] = name.split(':');
  return { orgUuid, uuid };
}
