/** Reads the connection of an endpoint's configuration, by what all kinds share: parts, logins, and options by an allow-list. */
import { GatewayError } from '../proto/errors.ts';
import type { Json } from '../proto/json.ts';
import { ConnectionParts, NO_URL } from './members.ts';

/** A connection given as `{url, auth?}`. */
export type InUrl = Extract<ConnectionParts, { url: string }>;
/** A connection given as `{host, port, tls, db, auth}`. */
export type InParts = Exclude<ConnectionParts, { url: string }>;

/** @throws GatewayError INVALID_CONFIGURATION */
export function partsOf(connection: Json): ConnectionParts {
  const parsed = ConnectionParts.safeParse(connection);
  if (!parsed.success) throw invalid(NO_URL);
  return parsed.data;
}

/**
 * A URL of one host.
 * @param schemes with their colons
 * @param expected how the caller's URL should begin, in words
 * @throws GatewayError INVALID_CONFIGURATION
 */
export function urlOf(text: string, schemes: ReadonlySet<string>, expected: string): URL {
  const authority = /^[a-z]+:\/\/([^/?#]*)/i.exec(text)?.[1] ?? '';
  if (authority.slice(authority.lastIndexOf('@') + 1).includes(',')) throw severalHosts();
  const url = URL.parse(text);
  if (!url) throw invalid('The connection URL cannot be read');
  if (!schemes.has(url.protocol)) throw invalid(`The connection URL begins with ${expected}`);
  return url;
}

/** The URL's host, an IPv6 address without its brackets. @throws GatewayError INVALID_CONFIGURATION */
export function hostOf({ hostname }: URL): string {
  return decoded(hostname).replace(/^\[(.*)\]$/, '$1');
}

/** @throws GatewayError INVALID_CONFIGURATION unless host and user are named, and the host is one */
export function checkNames({ host, user }: { readonly host: string; readonly user: string }): void {
  if (host === '') throw invalid('The connection names no host');
  if (host.includes('/')) throw invalid('A connection goes to a host, not to a socket file');
  if (host.includes(',')) throw severalHosts();
  if (user === '') throw invalid('The connection names no user');
}

/** A NUL would end a member of a login's messages and begin another. @throws GatewayError INVALID_CONFIGURATION */
export function refuseNul(texts: readonly string[]): void {
  for (const text of texts) {
    if (text.includes('\0')) throw invalid('The connection contains a NUL character');
  }
}

/** Contract §5: a password, `user:password` or both apart; the text `None` means no password. */
export function credentials(auth: ConnectionParts['auth']): {
  username?: string;
  password?: string;
} {
  if (auth === undefined || auth === 'None') return {};
  if (typeof auth !== 'string') {
    const { username, password } = auth;
    return username === undefined ? { password } : { username, password };
  }
  const colon = auth.indexOf(':');
  return colon < 0
    ? { password: auth }
    : { username: auth.slice(0, colon), password: auth.slice(colon + 1) };
}

/** What an option of a URL comes to in a kind's settings. */
export type OptionReader<Options> = (value: string, name: string) => Options;

/**
 * The options of a URL; later ones win. One that `readers` does not have is refused by its name.
 * @param known the name that `readers` has for one in the URL
 * @throws GatewayError INVALID_CONFIGURATION
 */
export function readOptions<Options extends object>(
  params: URLSearchParams,
  readers: { readonly [option: string]: OptionReader<Options> },
  known: (name: string) => string = (name) => name,
): Partial<Options> {
  const options: Partial<Options> = {};
  for (const [name, value] of params) {
    const key = known(name);
    const read = Object.hasOwn(readers, key) ? readers[key] : undefined;
    if (!read) throw invalid(`Option ${name.slice(0, 64)} of the connection URL is not taken`);
    Object.assign(options, read(value, name));
  }
  return options;
}

/** Text of a URL without its escapes. @throws GatewayError INVALID_CONFIGURATION */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('The connection URL has a % that begins no escape');
  }
}

/** A configuration that cannot be used; the message never holds a credential. */
export function invalid(message: string): GatewayError {
  return new GatewayError('INVALID_CONFIGURATION', message);
}

function severalHosts(): GatewayError {
  return invalid('A connection names one host; lists of hosts are not taken');
}

export const SWITCH: { readonly [text: string]: boolean } = {
  '': true,
  1: true,
  true: true,
  0: false,
  false: false,
};
