/** Promises of who is calling: no header that a client writes is believed. */
import { expect, test } from 'vitest';
import { addressOf } from './address.ts';

const FORGED = { 'CF-Connecting-IP': '6.6.6.6', 'X-Forwarded-For': '6.6.6.6', 'MF-CF-Blob': '{}' };

test.each([
  ['bound to loopback, everyone is local', 'local', FORGED, 'local'],
  [
    'behind the front, its own header counts',
    'front:secret',
    { ...FORGED, 'X-Causeway-Peer': 'secret 192.0.2.7' },
    '192.0.2.7',
  ],
  [
    'without its secret no such header counts',
    'front:secret',
    { 'X-Causeway-Peer': 'guess 6.6.6.6' },
    'unknown',
  ],
  ['nor without the header', 'front:secret', FORGED, 'unknown'],
  [
    'behind a named proxy, the entry it added counts',
    'header:X-Forwarded-For',
    { 'X-Forwarded-For': '6.6.6.6, 192.0.2.8' },
    '192.0.2.8',
  ],
  ['a proxy that wrote nothing tells nothing', 'header:X-Forwarded-For', {}, 'unknown'],
  [
    "on the platform, the platform's header counts",
    '',
    { 'CF-Connecting-IP': '192.0.2.9' },
    '192.0.2.9',
  ],
])('%s', (_promise, peer, headers: Record<string, string>, address) => {
  expect(addressOf(new Headers(headers), peer)).toBe(address);
});
