/** Reads a Cassandra connection of an endpoint's configuration; nothing else of the relay's machine takes part in it. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { CONSISTENCIES, consistencyNamed } from '../../../proto/kinds/cassandra/consistency.ts';
import { ConnectionParts } from '../../../proto/kinds/members.ts';

/** How to reach and enter one node. Holds the password: never log it. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** With a trusted certificate of that host. */
  readonly tls: boolean;
  /** Where names without a keyspace are looked for; none when empty. */
  readonly keyspace: string;
  /** No login is offered when empty. */
  readonly user: string;
  readonly password: string;
  /** As the server's list of clients names it. */
  readonly application: string;
  /** Milliseconds a connection may take to be made. */
  readonly connectTimeoutMs: number;
  /** The protocol's numbers, for requests that name none. */
  readonly consistency: number;
  readonly serialConsistency: number | undefined;
}

const PORT = 9042;
const CONNECT_TIMEOUT_MS = 10_000;
const DEFAULTS = {
  application: 'causeway',
  connectTimeoutMs: CONNECT_TIMEOUT_MS,
  consistency: CONSISTENCIES.local_one,
  serialConsistency: undefined,
} as const;

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
  if (!/^\w{0,48}$/.test(settings.keyspace)) {
    throw invalid('The name of a keyspace holds letters, digits and _ only, 48 at most');
  }
  if ([settings.user, settings.password].some((text) => text.includes('\0'))) {
    throw invalid('The connection contains a NUL character');
  }
  if (settings.user === '' && settings.password !== '') {
    throw invalid('The connection has a password and no user');
  }
  return settings;
}

function fromParts(parts: Exclude<ConnectionParts, { url: string }>): Settings {
  const { username = '', password = '' } = credentials(parts.auth);
  return {
    ...DEFAULTS,
    host: parts.host,
    port: parts.port ?? PORT,
    tls: parts.tls ?? false,
    keyspace: parts.db === undefined ? '' : String(parts.db),
    user: username,
    password,
  };
}

function fromUrl({ url: text, auth }: Extract<ConnectionParts, { url: string }>): Settings {
  const url = URL.parse(text);
  if (!url || !/^(?:cassandra|cql|scylla):\/\//i.test(text)) {
    throw invalid('The connection URL begins with cassandra://');
  }
  if (url.hash !== '') throw invalid('The connection URL has a fragment; escape # as %23');
  const options = optionsOf(url.searchParams);
  const apart = credentials(auth);
  return {
    ...DEFAULTS,
    tls: false,
    ...options,
    host: decoded(url.hostname).replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? PORT : Number(url.port),
    keyspace: decoded(url.pathname.replace(/^\//, '')) || options.keyspace || '',
    // What stands apart wins over the URL's own, and that over its options.
    user: apart.username ?? (decoded(url.username) || options.user || ''),
    password: apart.password ?? (decoded(url.password) || options.password || ''),
  };
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
type Read = (name: string, value: string) => Options;

const SWITCH: { readonly [text: string]: boolean } = {
  '': true,
  1: true,
  true: true,
  0: false,
  false: false,
};
const tls: Read = (name, value) => {
  const on = SWITCH[value.toLowerCase()];
  if (on === undefined) throw invalid(`Option ${name} is true or false`);
  return { tls: on };
};
const application: Read = (name, value) => {
  if (!/^[\w .:/+-]{1,128}$/.test(value)) throw invalid(`Option ${name} is a short name`);
  return { application: value };
};
const consistency: Read = (name, value) => ({ consistency: levelOf(name, value) });
const serialConsistency: Read = (name, value) => {
  const level = levelOf(name, value);
  if (level !== CONSISTENCIES.serial && level !== CONSISTENCIES.local_serial) {
    throw invalid(`Option ${name} is serial or local_serial`);
  }
  return { serialConsistency: level };
};
/** A balance between nodes is not ours: the node that the URL names answers everything. */
const without: Read = () => ({});

/** Options of URLs, in small letters: those of the drivers for Java and of this driver. */
const READERS: { readonly [option: string]: Read } = {
  tls,
  ssl: tls,
  secure: tls,
  enablessl: tls,
  keyspace: (_, keyspace) => ({ keyspace }),
  user: (_, user) => ({ user }),
  username: (_, user) => ({ user }),
  password: (_, password) => ({ password }),
  application_name: application,
  applicationname: application,
  consistency,
  serial_consistency: serialConsistency,
  serialconsistency: serialConsistency,
  localdatacenter: without,
  local_datacenter: without,
  local_data_center: without,
  connect_timeout: (name, value) => timeout(name, value, 1000),
  connecttimeout: (name, value) => timeout(name, value, 1),
};

function timeout(name: string, value: string, unitMs: number): Options {
  if (!/^\d{1,7}$/.test(value)) throw invalid(`Option ${name} is a number`);
  const wanted = Number(value) * unitMs;
  return wanted === 0 ? {} : { connectTimeoutMs: Math.min(wanted, CONNECT_TIMEOUT_MS) };
}

function levelOf(name: string, value: string): number {
  const level = consistencyNamed(value);
  if (level === undefined) throw invalid(`Option ${name} is a level such as local_quorum`);
  return level;
}

function optionsOf(params: URLSearchParams): Options {
  const options: Options = {};
  for (const [name, value] of params) {
    const lower = name.toLowerCase();
    const read = Object.hasOwn(READERS, lower) ? READERS[lower] : undefined;
    if (!read) throw invalid(`Option ${name.slice(0, 64)} of the connection URL is not taken`);
    Object.assign(options, read(name, value));
  }
  return options;
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
