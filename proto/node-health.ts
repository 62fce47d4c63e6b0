/** What a relay says of itself without a token, at its port or in its tunnels. */

/** Path that is answered by the process before the parts: also while these load code, and answer no call. */
export const HEALTH_PATH = '/healthz';

/** Header of that answer, and of what a relay signs: the process, or the node where it has no id. It tells a relay from a proxy before it. */
export const INSTANCE_HEADER = 'Causeway-Instance';
