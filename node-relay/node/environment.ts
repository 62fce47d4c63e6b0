/** How the processes of a relay are told which node they are: the settings of a default node, in the environment of each. */
import type { Membership } from './join.ts';

/** UUID of a registered node. */
export const NODE_ID = 'RELAY_NODE_ID';
/** UUID of the process that is the node. */
export const NODE_INSTANCE = 'RELAY_NODE_INSTANCE';
/** Milliseconds by which this machine's clock is ahead of the gateway's. */
export const CLOCK_OFFSET_MS = 'RELAY_CLOCK_OFFSET_MS';

/** The environment of a node's processes. A node of one organization may reach all that its machine reaches. Contract §5 */
export function environmentOf(env: NodeJS.ProcessEnv, member: Membership): NodeJS.ProcessEnv {
  const { keys, gateway, uuid, gatewayKeys, kept, files } = member;
  const { RELAY_SIGNING_KEY: _, ...rest } = env;
  return {
    ...(kept.port === undefined ? {} : { RELAY_PORT: kept.port }),
    ...(kept.host === undefined ? {} : { RELAY_HOST: kept.host }),
    GATEWAY_PUBLIC_KEY: JSON.stringify(gatewayKeys),
    ...(files ? { RELAY_KEYS_FILE: files.partKeys } : {}),
    ...rest,
    RELAY_ALLOW: env.RELAY_ALLOW || '*',
    RELAY_NODE_KEY: JSON.stringify(keys.sealing),
    GATEWAY_URL: gateway.url,
    [NODE_ID]: uuid,
    [NODE_INSTANCE]: gateway.instance,
    [CLOCK_OFFSET_MS]: String(gateway.clockOffsetMs),
  };
}
