/** Servers' messages as callers may see them. Contract §1, "Never in an error". */
import { hideAddresses } from '../../addresses.ts';

/** Redirections: after the slot is the node, under whatever name. */
const REDIRECTED = /^(MOVED \d+|ASK \d+|REDIRECT) .*$/;

/** Longest message of a server that is told. */
const LENGTH_MAX = 2_000;

/** A backend's own message, without addresses. */
export function withoutAddresses(message: string): string {
  const whole = message.slice(0, 2 * LENGTH_MAX).replace(REDIRECTED, '$1 (address)');
  return hideAddresses(whole).slice(0, LENGTH_MAX);
}
