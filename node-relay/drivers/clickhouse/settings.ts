/** Reads a ClickHouse connection of an endpoint's configuration; nothing else of the relay's machine takes part in it. */

import { ALLOWED_SETTINGS } from '../../../kinds/clickhouse/settings.ts';
import {
  credentials,
  decoded,
  hostOf,
  type InParts,
  type InUrl,
  invalid,
  type OptionReader,
  partsOf,
  readOptions,
  refuseNul,
  SWITCH,
} from '../../../kinds/connection-options.ts';
import type { Json } from '../../../proto/json.ts';

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
  const parts = partsOf(connection);
  const settings = 'url' in parts ? fromUrl(parts) : fromParts(parts);
  if (settings.host === '') throw invalid('The connection names no host');
  if (/[/,\s@]/.test(settings.host)) {
    throw invalid('A connection names one host; lists of hosts and socket files are not taken');
  }
  if (settings.user.includes(':')) throw invalid('The name of the user holds a colon');
  refuseNul([settings.user, settings.password, settings.database]);
  return settings;
}

function fromParts(parts: InParts): Settings {
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

function fromUrl({ url: text, auth }: InUrl): Settings {
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
    host: hostOf(url),
    port: url.port === '' ? (tls ? TLS_PORT : PORT) : Number(url.port),
    tls,
    database: path || options.database || '',
    ...loginOf(url, options, credentials(auth)),
  };
}

/** What is apart wins over the URL's own, and that over its options. */
function loginOf(
  url: URL,
  options: Options,
  apart: { username?: string; password?: string },
): Pick<Settings, 'user' | 'password'> {
  const user = apart.username ?? (decoded(url.username) || options.user || 'default');
  return { user, password: apart.password ?? (decoded(url.password) || options.password || '') };
}

type Options = { -readonly [member in keyof Settings]?: Settings[member] };

const tls: OptionReader<Options> = (value, name) => {
  const on = SWITCH[value.toLowerCase()];
  if (on === undefined) throw invalid(`Option ${name} is true or false`);
  return { tls: on };
};

const READERS: { readonly [option: string]: OptionReader<Options> } = {
  secure: tls,
  tls,
  ssl: tls,
  database: (database) => ({ database }),
  user: (user) => ({ user }),
  username: (user) => ({ user }),
  password: (password) => ({ password }),
  application: (value, name) => {
    if (!/^[\w .:/+-]{1,128}$/.test(value)) throw invalid(`Option ${name} is a short name`);
    return { application: value };
  },
  connect_timeout: (value, name) => {
    if (!/^\d{1,4}$/.test(value)) throw invalid(`Option ${name} is a number of seconds`);
    const wanted = Number(value) * 1000;
    return wanted === 0 ? {} : { connectTimeoutMs: Math.min(wanted, CONNECT_TIMEOUT_MS) };
  },
};

function optionsOf(params: URLSearchParams): Options {
  const serverSettings: Record<string, string> = {};
  const others = new URLSearchParams();
  for (const [name, value] of params) {
    const setting = /^(?:clickhouse_setting_|ch_)(.+)$/.exec(name)?.[1];
    if (setting !== undefined && ALLOWED_SETTINGS.includes(setting))
      serverSettings[setting] = value;
    else others.append(name, value);
  }
  return { ...readOptions(others, READERS), serverSettings };
}
