/** Reads a mysql connection of an endpoint's configuration; nothing else of the relay's machine takes part in it. */
import type { Json } from '../../../proto/json.ts';
import {
  checkNames,
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
  urlOf,
} from '../../connection-options.ts';

/** How far TLS goes. Source: MySQL manual, "Command Options for Encrypted Connections". */
const SSL_MODES = ['DISABLED', 'PREFERRED', 'REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY'] as const;
export type SslMode = (typeof SSL_MODES)[number];

/** How to reach and enter one database. Holds the password: never log it. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** None when empty. */
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly sslMode: SslMode;
  readonly applicationName: string;
  /** Milliseconds a connection may take to be made. */
  readonly connectTimeoutMs: number;
}

const DEFAULT_PORT = 3306;
const CONNECT_TIMEOUT_MS = 10_000;
const SCHEMES = new Set(['mysql:', 'mariadb:', 'mysqls:']);

/**
 * Settings of `{url}` or `{host, port, tls, db, auth}`. `tls: true` asks for a certificate that
 * is trusted and names the host; without `tls`, TLS is used where the server has it. Contract §5;
 * Spec silent on defaults.
 * @throws GatewayError INVALID_CONFIGURATION
 */
export function settingsOf(connection: Json): Settings {
  const parts = partsOf(connection);
  const settings = 'url' in parts ? fromUrl(parts) : fromParts(parts);
  const { host, user, password, database } = settings;
  refuseNul([host, user, password, database]);
  return settings;
}

function fromParts(parts: InParts): Settings {
  const { username, password } = credentials(parts.auth);
  return checked({
    host: parts.host,
    port: parts.port ?? DEFAULT_PORT,
    database: parts.db === undefined ? '' : String(parts.db),
    user: username ?? '',
    password: password ?? '',
    sslMode: tlsMode(parts.tls),
    ...DEFAULTS,
  });
}

function tlsMode(tls: boolean | undefined): SslMode {
  if (tls === undefined) return 'PREFERRED';
  return tls ? 'VERIFY_IDENTITY' : 'DISABLED';
}

const DEFAULTS = { applicationName: 'causeway', connectTimeoutMs: CONNECT_TIMEOUT_MS } as const;

function fromUrl({ url: text, auth }: InUrl): Settings {
  const url = urlOf(text, SCHEMES, 'mysql:// or mariadb://');
  const apart = credentials(auth);
  return checked({
    host: hostOf(url),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    database: decoded(url.pathname.replace(/^\//, '')),
    user: apart.username ?? decoded(url.username),
    password: apart.password ?? decoded(url.password),
    sslMode: url.protocol === 'mysqls:' ? 'VERIFY_IDENTITY' : 'PREFERRED',
    ...DEFAULTS,
    ...readOptions(url.searchParams, READERS, (name) => name.toLowerCase()),
  });
}

function checked(settings: Settings): Settings {
  // An empty user would be an anonymous account, or the relay's own.
  checkNames(settings);
  return settings;
}

type Options = Partial<Pick<Settings, 'sslMode' | 'applicationName' | 'connectTimeoutMs'>>;

/** What a `sslmode` of other clients means. */
const MODES: { readonly [value: string]: SslMode } = {
  DISABLE: 'DISABLED',
  PREFER: 'PREFERRED',
  REQUIRE: 'REQUIRED',
  VERIFY_FULL: 'VERIFY_IDENTITY',
};

function sslMode(value: string): Options {
  const wanted = value.toUpperCase().replaceAll('-', '_');
  const mode = MODES[wanted] ?? SSL_MODES.find((each) => each === wanted);
  if (!mode) throw invalid(`Option ssl-mode is one of ${SSL_MODES.join(', ')}`);
  return { sslMode: mode };
}

/** `ssl=true` of JavaScript clients: TLS with a certificate that names the host. */
function ssl(value: string): Options {
  if (/^(?:true|1|yes)$/i.test(value)) return { sslMode: 'VERIFY_IDENTITY' };
  if (/^(?:false|0|no)$/i.test(value)) return { sslMode: 'DISABLED' };
  throw invalid('Option ssl is true or false');
}

function connectTimeout(value: string, unitMs: number): Options {
  if (!/^\d{1,6}$/.test(value)) throw invalid('Option connect_timeout is a number of seconds');
  const wanted = Number(value) * unitMs;
  return wanted === 0 ? {} : { connectTimeoutMs: Math.min(wanted, CONNECT_TIMEOUT_MS) };
}

function charset(value: string): Options {
  if (/^utf8(?:mb4)?(?:_\w+)?$/i.test(value)) return {};
  throw invalid('Option charset can only be utf8mb4');
}

const READERS: { readonly [option: string]: OptionReader<Options> } = {
  'ssl-mode': sslMode,
  ssl_mode: sslMode,
  sslmode: sslMode,
  ssl,
  tls: ssl,
  connect_timeout: (value) => connectTimeout(value, 1_000),
  'connect-timeout': (value) => connectTimeout(value, 1_000),
  connecttimeout: (value) => connectTimeout(value, 1),
  program_name: (value) => (value === '' ? {} : { applicationName: value }),
  application_name: (value) => (value === '' ? {} : { applicationName: value }),
  charset,
  'default-character-set': charset,
};
