/** Reads a postgres connection of an endpoint's configuration; nothing else of the relay's machine takes part in it. */
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

/** How far TLS goes. Source: PostgreSQL manual, "SSL Mode Descriptions". */
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof SSL_MODES)[number];

/** How to reach and enter one database. Holds the password: never log it. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly sslMode: SslMode;
  readonly applicationName: string;
  /** Milliseconds a connection may take to be made. */
  readonly connectTimeoutMs: number;
  /** Session settings of the caller's, in the order given. */
  readonly sessionSettings: readonly (readonly [name: string, value: string])[];
}

const DEFAULT_PORT = 5432;
const CONNECT_TIMEOUT_MS = 10_000;
const SCHEMES = new Set(['postgres:', 'postgresql:']);

/**
 * Settings of `{url}` or `{host, port, tls, db, auth}`. `tls: true` asks for a certificate that
 * is trusted and names the host; without `tls`, TLS is used where the server has it. Contract §5;
 * Spec silent on defaults.
 * @throws GatewayError INVALID_CONFIGURATION
 */
export function settingsOf(connection: Json): Settings {
  const parts = partsOf(connection);
  const settings = 'url' in parts ? fromUrl(parts) : fromParts(parts);
  const { host, user, password, database, applicationName, sessionSettings } = settings;
  refuseNul([host, user, password, database, applicationName, ...sessionSettings.flat()]);
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
    sslMode: parts.tls === undefined ? 'prefer' : parts.tls ? 'verify-full' : 'disable',
    ...DEFAULTS,
  });
}

const DEFAULTS = {
  applicationName: 'causeway',
  connectTimeoutMs: CONNECT_TIMEOUT_MS,
  sessionSettings: [],
} as const;

function fromUrl({ url: text, auth }: InUrl): Settings {
  const url = urlOf(text, SCHEMES, 'postgres:// or postgresql://');
  const apart = credentials(auth);
  return checked({
    host: hostOf(url),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    database: decoded(url.pathname.replace(/^\//, '')),
    user: apart.username ?? decoded(url.username),
    password: apart.password ?? decoded(url.password),
    sslMode: 'prefer',
    ...DEFAULTS,
    ...readOptions(url.searchParams, READERS),
  });
}

function checked(settings: Settings): Settings {
  checkNames(settings);
  // The server's own default.
  return settings.database === '' ? { ...settings, database: settings.user } : settings;
}

type Options = Partial<
  Pick<Settings, 'sslMode' | 'applicationName' | 'connectTimeoutMs' | 'sessionSettings'>
>;

const READERS: { readonly [option: string]: OptionReader<Options> } = {
  sslmode: (value) => {
    const sslMode = SSL_MODES.find((mode) => mode === value);
    if (!sslMode) throw invalid(`Option sslmode is one of ${SSL_MODES.join(', ')}`);
    return { sslMode };
  },
  application_name: (value) => (value === '' ? {} : { applicationName: value }),
  connect_timeout: (value) => {
    if (!/^\d{1,4}$/.test(value)) throw invalid('Option connect_timeout is a number of seconds');
    const wanted = Number(value) * 1000;
    return wanted === 0 ? {} : { connectTimeoutMs: Math.min(wanted, CONNECT_TIMEOUT_MS) };
  },
  options: (value) => ({ sessionSettings: sessionSettings(value) }),
  client_encoding: (value) => {
    if (/^(?:utf-?8|auto)$/i.test(value)) return {};
    throw invalid('Option client_encoding can only be UTF8');
  },
  target_session_attrs: (value) => {
    if (value === 'any') return {};
    throw invalid('Option target_session_attrs can only be any');
  },
};

/** `-c name=value`, `-cname=value` and `--name=value`; a backslash takes the next character as it is. */
function sessionSettings(text: string): [string, string][] {
  const words = (text.match(/(?:\\[\s\S]|[^\s\\])+/g) ?? []).map((word) =>
    word.replace(/\\([\s\S])/g, '$1'),
  );
  const settings: [string, string][] = [];
  for (let at = 0; at < words.length; at += 1) {
    let word = words[at] ?? '';
    if (word === '-c') {
      at += 1;
      word = words[at] ?? '';
    } else if (/^(?:-c|--)./.test(word)) {
      word = word.slice(2);
    } else {
      word = '';
    }
    const [, name, value] = /^([A-Za-z_][\w.-]*)=([\s\S]*)$/.exec(word) ?? [];
    if (name === undefined || value === undefined) {
      throw invalid('Option options is a list of -c name=value');
    }
    settings.push([name.replaceAll('-', '_'), value]);
  }
  return settings;
}

/** Make every value's text the same on every server. They are last, so nothing overrides them. */
export const SESSION_SETTINGS: readonly (readonly [string, string])[] = [
  ['DateStyle', 'ISO'],
  ['IntervalStyle', 'postgres'],
  ['TimeZone', 'UTC'],
  ['extra_float_digits', '1'],
  ['bytea_output', 'hex'],
  ['array_nulls', 'on'],
  // The guard reads statements by these rules.
  ['standard_conforming_strings', 'on'],
];
