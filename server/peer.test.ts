/** Whose word is taken for the caller's address. */
import { expect, test } from 'vitest';
import { peerMode, peerSetting } from './peer.ts';

test.each([
  { host: '127.0.0.1', proxy: undefined, mode: 'local', setting: 'local' },
  { host: '::1', proxy: undefined, mode: 'local', setting: 'local' },
  { host: '127.0.0.1', proxy: '127.0.0.1', mode: 'header', setting: 'header:X-Forwarded-For' },
  { host: '127.0.0.1', proxy: '10.0.0.1', mode: 'front', setting: 'front:s' },
  { host: '0.0.0.0', proxy: undefined, mode: 'front', setting: 'front:s' },
  { host: '0.0.0.0', proxy: '127.0.0.1', mode: 'front', setting: 'front:s' },
  { host: '::', proxy: '10.0.0.1', mode: 'front', setting: 'front:s' },
])('bound to $host behind $proxy: $mode', ({ host, proxy, mode, setting }) => {
  expect(peerMode(host, proxy)).toBe(mode);
  expect(peerSetting(peerMode(host, proxy), 's')).toBe(setting);
});
