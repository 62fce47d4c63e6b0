/** The relay of the configuration: every organization's default node. Contract §5, "Nodes". */
import { nodeUuid } from '../../proto/node-id.ts';
import type { Node } from '../drivers/node.ts';
import type { Settings } from '../settings.ts';

/** What lists call it. */
export const DEFAULT_NODE_NAME = 'default';

/** Only what is finished is kept: a promise belongs to the request that made it. */
const known = new WeakMap<Settings, Node>();

/** The default node; its id is worked out once. */
export async function defaultNode(settings: Settings): Promise<Node> {
  const made = known.get(settings) ?? (await describe(settings));
  known.set(settings, made);
  return made;
}

async function describe(settings: Settings): Promise<Node> {
  const publicKey = settings.RELAY_NODE_PUBLIC_KEY;
  const url = settings.RELAY_URL.replace(/\/+$/, '');
  return { uuid: await nodeUuid(publicKey), url, publicKey, default: true };
}
