/** Reads a ClickHouse connection of an endpoint's configuration; nothing else of the relay's machine takes part in it. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { ALLOWED_SETTINGS } from '../../../proto/kinds/clickhouse/settings.ts';
import { ConnectionParts } from '../../../proto/kinds/members.ts';

/** How to reach and enter one server. Holds the password: never log it. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** With a trusted certificate of that host. */
  readonly tls: boolean;
  /** The user's own when empty. */
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** As the server's query log names the client. */
  readonly application: string;
  /** Milliseconds a connection may take to be made. */
  readonly connectTimeoutMs: number;
  /** Settings of the server's for every statement. */
  readonly serverSettings: { readonly [name: string]: string };
}

const PORT = 8123;
const TLS_PORT = 8443;
const CONNECT_TIMEOUT_MS = 10_000;
const DEFAULTS = {
  application: 'causeway',
  connectTimeoutMs: CONNECT_TIMEOUT_MS,
  serverSettings: {},
} as const;
/** By scheme: whether TLS is spoken; undefined where the option `secure` says. */
const SCHEMES: { readonly [scheme: string]: boolean | undefined } = {
  'clickhouse:': undefined,
  'clickhouses:': true,
  'ch:': undefined,
  'chs:': true,
  'http:': false,
  'https:': true,
};

/**
 * Settings of `{url}` or `{host, port, tls, db, auth}`. Contract §5; Spec silent on defaults.
 * @throws GatewayError INVALID_CONFIGURATION
 */
export function settingsOf(connection: Json): Settings {
  const parsed = ConnectionParts.safeParse(connection);
  if (!parsed.success) throw invalid('Connection URL is required');
  const settings = 'url' in parsed.data ? fromUrl(parsed.data) : fromParts(parsed.data);
  if (settings.host === '') throw invalid('The connection names no host');
  if (/[/,\s@]/.test(settings.host)) {
    throw invalid('A connection names one host; lists of hosts and socket files are not taken');
  }
  if (settings.user.includes(':')) throw invalid('The name of the user holds a colon');
  const texts = [settings.user, settings.password, settings.database];
  if (texts.some((text) => text.includes('\0'))) {
    throw invalid('The connection contains a NUL character');
  }
  return settings;
}

function fromParts(parts: Exclude<ConnectionParts, { url: string }>): Settings {
  const { username, password } = credentials(parts.auth);
  const tls = parts.tls ?? parts.port === TLS_PORT;
  return {
    ...DEFAULTS,
    host: parts.host,
    port: parts.port ?? (tls ? TLS_PORT : PORT),
    tls,
    database: parts.db === undefined ? '' : String(parts.db),
    user: username ?? 'default',
    password: password ?? '',
  };
}

function fromUrl({ url: text, auth }: Extract<ConnectionParts, { url: string }>): Settings {
  const scheme = /^[a-z]+:/i.exec(text)?.[0].toLowerCase() ?? '';
  // Of a scheme that the URL standard does not know, the host stays as it is written.
  const url = URL.parse(text.replace(/^https?:/i, 'clickhouse:'));
  if (!url || !Object.hasOwn(SCHEMES, scheme)) {
    throw invalid('The connection URL begins with clickhouse://, http:// or https://');
  }
  const options = optionsOf(url.searchParams);
  const tls = SCHEMES[scheme] ?? options.tls ?? false;
  if (options.tls !== undefined && options.tls !== tls) {
    throw invalid("Option secure contradicts the connection URL's scheme");
  }
  const path = decoded(url.pathname.replace(/^\//, ''));
  if (path.includes('/')) throw invalid('The path of the connection URL is a database');
  return {
    ...DEFAULTS,
    ...options,
    host: decoded(url.hostname).replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (tls ? TLS_PORT : PORT) : Number(url.port),
    tls,
    database: path || options.database || '',
    ...loginOf(url, options, credentials(auth)),
  };
}

/** What stands apart wins over the URL's own, and that over its options. */
function loginOf(
  url: URL,
  options: Options,
  apart: { username?: string; password?: string },
): Pick<Settings, 'user' | 'password'> {
  const user = apart.username ?? (decoded(url.username) || options.user || 'default');
  return { user, password: apart.password ?? (decoded(url.password) || options.password || '') };
}

/** Contract §5: a password, `user:password` or both apart; the text `None` is none. */
function credentials(auth: ConnectionParts['auth']): { username?: string; password?: string } {
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

type Options = { -readonly [member in keyof Settings]?: Settings[member] };

const SWITCH: { readonly [text: string]: boolean } = {
  '': true,
  1: true,
  true: true,
  0: false,
  false: false,
};
const tls = (name: string, value: string): Options => {
  const on = SWITCH[value.toLowerCase()];
  if (on === undefined) throw invalid(`Option ${name} is true or false`);
  return { tls: on };
};

const READERS: { readonly [option: string]: (name: string, value: string) => Options } = {
  secure: tls,
  tls,
  ssl: tls,
  database: (_, database) => ({ database }),
  user: (_, user) => ({ user }),
  username: (_, user) => ({ user }),
  password: (_, password) => ({ password }),
  application: (name, value) => {
    if (!/^[\w .:/+-]{1,128}$/.test(value)) throw invalid(`Option ${name} is a short name`);
    return { application: value };
  },
  connect_timeout: (name, value) => {
    if (!/^\d{1,4}$/.test(value)) throw invalid(`Option ${name} is a number of seconds`);
    const wanted = Number(value) * 1000;
    return wanted === 0 ? {} : { connectTimeoutMs: Math.min(wanted, CONNECT_TIMEOUT_MS) };
  },
};

function optionsOf(params: URLSearchParams): Options {
  const options: Options = {};
  const serverSettings: Record<string, string> = {};
  for (const [name, value] of params) {
    const setting = /^(?:clickhouse_setting_|ch_)(.+)$/.exec(name)?.[1];
    if (setting !== undefined && ALLOWED_SETTINGS.includes(setting)) {
      serverSettings[setting] = value;
      continue;
    }
    const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
    if (!read) throw invalid(`Option ${name.slice(0, 64)} of the connection URL is not taken`);
    Object.assign(options, read(name, value));
  }
  return { ...options, serverSettings };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('The connection URL has a % that begins no escape');
  }
}

function invalid(message: string): GatewayError {
  return new GatewayError('INVALID_CONFIGURATION', message);
}
