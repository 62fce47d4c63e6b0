/** Tells the worker which address is calling. Contract §11, TRUSTED_PROXY. */
import { randomBytes } from 'node:crypto';
import { isLoopback } from './options.ts';

/**
 * `local`: bound to loopback, every caller is this machine. `header`: bound to loopback behind a
 * proxy on this machine, whose header is believed. `front`: only the connection itself can tell.
 */
export type PeerMode = 'local' | 'header' | 'front';

/** The cheapest mode that clients cannot forge. */
export function peerMode(host: string, trustedProxy: string | undefined): PeerMode {
  if (!isLoopback(host)) return 'front';
  if (trustedProxy === undefined) return 'local';
  return isLoopback(trustedProxy) ? 'header' : 'front';
}

/** The worker's setting PEER; see worker/http/address.ts. */
export function peerSetting(mode: PeerMode, secret: string): string {
  if (mode === 'local') return 'local';
  return mode === 'header' ? 'header:X-Forwarded-For' : `front:${secret}`;
}

/** A secret for one run of a front: worker and front are told. */
export function frontSecret(): string {
  return randomBytes(24).toString('base64url');
}
