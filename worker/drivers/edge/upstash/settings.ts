/** Reads a redis connection whose server is reached by Upstash's REST protocol. */

import {
  credentials,
  decoded,
  hostOf,
  type InParts,
  type InUrl,
  invalid,
  partsOf,
} from '../../../../kinds/connection-options.ts';
import type { Json } from '../../../../proto/json.ts';
import { withoutAtEnd } from '../../../../proto/text-ends.ts';
import { isVendors } from '../vendors.ts';

/** Where the protocol is spoken, and what admits to it. Holds a secret: never log it. */
export interface Settings {
  /** An origin, and perhaps a path, without a slash at its end. */
  readonly url: string;
  readonly token: string;
}

/** The vendor's REST token is the password of the user `default`. */
const USER = 'default';

/**
 * `{url: "https://…", auth: token}`, or what clients of Redis itself are given there:
 * `rediss://default:token@host:6379`, in parts too. A port of Redis stands for the usual one of HTTPS.
 * @throws GatewayError INVALID_CONFIGURATION
 */
export function settingsOf(connection: Json): Settings {
  const parts = partsOf(connection);
  const settings = 'url' in parts ? fromUrl(parts) : fromParts(parts);
  if (settings.token === '') throw invalid('The connection needs a token: the REST token, as auth');
  if (!/^[!-~]+$/.test(settings.token))
    throw invalid('The token is not one: it has other characters');
  return settings;
}

const SCHEMES = new Set(['https:', 'http:', 'rediss:']);

function fromUrl({ url: text, auth }: InUrl): Settings {
  const url = URL.parse(text);
  if (!url) throw invalid('The connection URL cannot be read');
  if (!SCHEMES.has(url.protocol)) {
    throw invalid(
      'Upstash is reached at the edge by https:// or rediss://; for redis:// set config.transport: "relay"',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw invalid('The connection URL takes no options where Upstash is reached at the edge');
  }
  if (url.hostname === '') throw invalid('The connection names no host');
  if (url.protocol === 'http:' && isVendors(url.hostname)) {
    throw invalid('The token goes to Upstash by https:// alone');
  }
  const apart = credentials(auth);
  const token = apart.password ?? decoded(url.password);
  checkUser(apart.username ?? decoded(url.username));
  if (url.protocol === 'rediss:') {
    checkDatabase(url.pathname.replace(/^\//, ''));
    return { url: originOf(hostOf(url)), token };
  }
  return { url: `${url.protocol}//${url.host}${withoutAtEnd(url.pathname, '/')}`, token };
}

function fromParts({ host, db, auth }: InParts): Settings {
  const { username = '', password = '' } = credentials(auth);
  checkUser(username);
  checkDatabase(db === undefined ? '' : String(db));
  const url = URL.parse(originOf(host));
  if (url?.pathname !== '/' || url.port !== '') throw invalid('The host is not one');
  return { url: url.origin, token: password };
}

function originOf(host: string): string {
  return `https://${host.includes(':') ? `[${host}]` : host}`;
}

function checkUser(name: string): void {
  if (name === '' || name === USER) return;
  throw invalid('A token of Upstash belongs to a user: name none, or default');
}

/** There is one database: its protocol has no SELECT. */
function checkDatabase(name: string): void {
  if (name !== '' && name !== '0') {
    throw invalid(
      'Upstash has no databases by number; a relay selects one: config.transport: "relay"',
    );
  }
}
