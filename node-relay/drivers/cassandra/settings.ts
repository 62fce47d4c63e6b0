/** Reads a Cassandra connection of an endpoint's configuration; nothing else of the relay's machine takes part in it. */

import { CONSISTENCIES, consistencyNamed } from '../../../kinds/cassandra/consistency.ts';
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
  const parts = partsOf(connection);
  const settings = 'url' in parts ? fromUrl(parts) : fromParts(parts);
  if (settings.host === '') throw invalid('The connection names no host');
  if (/[/,\s@]/.test(settings.host)) {
    throw invalid('A connection names one host; lists of hosts and socket files are not taken');
  }
  if (!/^\w{0,48}$/.test(settings.keyspace)) {
    throw invalid('The name of a keyspace holds letters, digits and _ only, 48 at most');
  }
  refuseNul([settings.user, settings.password]);
  if (settings.user === '' && settings.password !== '') {
    throw invalid('The connection has a password and no user');
  }
  return settings;
}

function fromParts(parts: InParts): Settings {
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

function fromUrl({ url: text, auth }: InUrl): Settings {
  const url = URL.parse(text);
  if (!url || !/^(?:cassandra|cql|scylla):\/\//i.test(text)) {
    throw invalid('The connection URL begins with cassandra://');
  }
  if (url.hash !== '') throw invalid('The connection URL has a fragment; escape # as %23');
  const options = readOptions(url.searchParams, READERS, (name) => name.toLowerCase());
  const apart = credentials(auth);
  return {
    ...DEFAULTS,
    tls: false,
    ...options,
    host: hostOf(url),
    port: url.port === '' ? PORT : Number(url.port),
    keyspace: decoded(url.pathname.replace(/^\//, '')) || options.keyspace || '',
    // What is apart wins over the URL's own, and that over its options.
    user: apart.username ?? (decoded(url.username) || options.user || ''),
    password: apart.password ?? (decoded(url.password) || options.password || ''),
  };
}

type Options = { -readonly [member in keyof Settings]?: Settings[member] };
type SettingsReader = OptionReader<Options>;

const tls: SettingsReader = (value, name) => {
  const on = SWITCH[value.toLowerCase()];
  if (on === undefined) throw invalid(`Option ${name} is true or false`);
  return { tls: on };
};
const application: SettingsReader = (value, name) => {
  if (!/^[\w .:/+-]{1,128}$/.test(value)) throw invalid(`Option ${name} is a short name`);
  return { application: value };
};
const consistency: SettingsReader = (value, name) => ({ consistency: levelOf(name, value) });
const serialConsistency: SettingsReader = (value, name) => {
  const level = levelOf(name, value);
  if (level !== CONSISTENCIES.serial && level !== CONSISTENCIES.local_serial) {
    throw invalid(`Option ${name} is serial or local_serial`);
  }
  return { serialConsistency: level };
};
/** A balance between nodes is not ours: the node that the URL names answers everything. */
const without: SettingsReader = () => ({});

/** Options of URLs, in small letters: those of the drivers for Java and of this driver. */
const READERS: { readonly [option: string]: SettingsReader } = {
  tls,
  ssl: tls,
  secure: tls,
  enablessl: tls,
  keyspace: (keyspace) => ({ keyspace }),
  user: (user) => ({ user }),
  username: (user) => ({ user }),
  password: (password) => ({ password }),
  application_name: application,
  applicationname: application,
  consistency,
  serial_consistency: serialConsistency,
  serialconsistency: serialConsistency,
  localdatacenter: without,
  local_datacenter: without,
  local_data_center: without,
  connect_timeout: (value, name) => timeout(name, value, 1000),
  connecttimeout: (value, name) => timeout(name, value, 1),
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
