/** Connections by a URL, as most drivers take them, for the suite of all drivers. */
import type { Json } from '../../proto/json.ts';

/** The connection of a URL with its password, and the same with a wrong one. */
export function connectionsBy(url: string) {
  const wrong = new URL(url);
  wrong.password = 'not-the-password';
  const connection = (text: string): Json => ({ url: text });
  const { password } = new URL(url);
  return { right: connection(url), wrongPassword: connection(wrong.href), password };
}

/** Connections that name no server, with what is said of them. */
export const WITHOUT_URL = [
  { connection: {}, message: 'Connection URL is required' },
  { connection: { url: '' }, message: 'Connection URL is required' },
];
