/** Values of type `inet`, as bytes and as text. */
import { isIP, isIPv4, SocketAddress } from 'node:net';

/** `192.0.2.1` of 4 bytes, `2001:db8::1` of 16. */
export function inetText(bytes: Buffer): string {
  if (bytes.length === 4) return [...bytes].join('.');
  const groups = bytes.toString('hex').match(/.{4}/g) ?? [];
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}

/** Undefined for a text that is no address, or one of a zone. */
export function bytesOfInet(text: string): Buffer | undefined {
  const version = isIP(text);
  if (version === 0 || text.includes('%')) return undefined;
  if (version === 4) return Buffer.from(text.split('.').map(Number));
  // The last part may be written as IPv4.
  const last = text.slice(text.lastIndexOf(':') + 1);
  const quad = isIPv4(last) ? Buffer.from(last.split('.').map(Number)).toString('hex') : '';
  const rest = quad && `${quad.slice(0, 4)}:${quad.slice(4)}`;
  const whole = quad ? text.slice(0, -last.length) + rest : text;
  const [before = '', after] = whole.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const [left, right] = [groups(before), groups(after ?? '')];
  const zeros = after === undefined ? 0 : 8 - left.length - right.length;
  const all = [...left, ...Array<string>(zeros).fill('0'), ...right];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
