/** Servers' messages as callers may see them. Contract §1, "Never in an error". */

const ADDRESS =
  /\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b|\[[0-9a-f]*:[0-9a-f:.]*\](?::\d+)?|(?<![\w:])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,8}(?::\d+)?\b|(?<![\w.-])(?:localhost|[\w-]+(?:\.[\w-]+)+):\d{1,5}\b/gi;
/** Redirections: after the slot is the node, under whatever name. */
const REDIRECTED = /^(MOVED \d+|ASK \d+|REDIRECT) .*$/;

/** Longest message of a server that is told. */
const LENGTH_MAX = 2_000;

/** A backend's own message, without addresses. */
export function withoutAddresses(message: string): string {
  const whole = message.slice(0, 2 * LENGTH_MAX).replace(REDIRECTED, '$1 (address)');
  return whole.replace(ADDRESS, '(address)').slice(0, LENGTH_MAX);
}
