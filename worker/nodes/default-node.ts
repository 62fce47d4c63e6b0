/** The relay of the configuration: every organization's default node. Contract §5, "Nodes". */
import { nodeUuid } from '../../proto/node-id.ts';
import type { Node } from '../drivers/node.ts';
import type { Settings } from '../settings.ts';

/** What lists call it. */
export const DEFAULT_NODE_NAME = 'default';

const known = new WeakMap<Settings, Promise<Node>>();

/** The default node; its id is worked out once. */
export function defaultNode(settings: Settings): Promise<Node> {
  const made = known.get(settings) ?? describe(settings);
  known.set(settings, made);
  return made;
}

async function describe(settings: Settings): Promise<Node> {
  const publicKey = settings.RELAY_NODE_PUBLIC_KEY;
  const url = settings.RELAY_URL.replace(/\/+$/, '');
  return { uuid: await nodeUuid(publicKey), url, publicKey, default: true };
}
