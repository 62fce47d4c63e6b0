/** Reads a redis connection of an endpoint's configuration; nothing else of the relay's machine takes part in it. */

import {
  credentials,
  decoded,
  type InParts,
  type InUrl,
  invalid,
  partsOf,
  readOptions,
} from '../../../kinds/connection-options.ts';
import type { Json } from '../../../proto/json.ts';
import { type Options, READERS } from './options.ts';

/** Where a server listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Username and password for a server; empty where there is none. */
interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** How one server is entered, wherever it is. */
export interface ServerAccess extends Credentials {
  /** What its certificate must be; undefined is without TLS. */
  readonly trust: 'any' | 'chain' | 'host' | undefined;
  readonly database: number;
  /** Version of RESP that is asked for; servers that know only 2 are spoken to in that. */
  readonly protocol: 2 | 3;
  /** None when empty. */
  readonly clientName: string;
  /** Milliseconds a connection may take to be made. */
  readonly connectTimeoutMs: number;
}

/** How to reach and enter a server, a cluster, or the master that sentinels name. Holds passwords: never log it. */
export interface Settings extends ServerAccess {
  readonly topology: 'single' | 'cluster' | 'sentinel';
  /** The server; nodes of the cluster; sentinels. At least one. */
  readonly addresses: readonly Address[];
  /** Reads go to replicas. */
  readonly fromReplicas: boolean;
  /** The master's name among the sentinels. */
  readonly master: string;
  /** Of the sentinels themselves. */
  readonly sentinel: Credentials;
}

const PORT = 6379;
const SENTINEL_PORT = 26_379;
const CONNECT_TIMEOUT_MS = 10_000;

const DEFAULTS: Omit<Settings, 'addresses'> = {
  topology: 'single',
  username: '',
  password: '',
  trust: undefined,
  database: 0,
  protocol: 3,
  clientName: '',
  connectTimeoutMs: CONNECT_TIMEOUT_MS,
  fromReplicas: false,
  master: '',
  sentinel: { username: '', password: '' },
};

/** Schemes as usual clients have them, and what they say besides the host. */
const SCHEMES: { readonly [scheme: string]: Pick<Settings, 'topology' | 'trust'> } = {
  redis: { topology: 'single', trust: undefined },
  rediss: { topology: 'single', trust: 'host' },
  valkey: { topology: 'single', trust: undefined },
  valkeys: { topology: 'single', trust: 'host' },
  'redis+cluster': { topology: 'cluster', trust: undefined },
  'rediss+cluster': { topology: 'cluster', trust: 'host' },
  'redis+sentinel': { topology: 'sentinel', trust: undefined },
  'rediss+sentinel': { topology: 'sentinel', trust: 'host' },
  'redis-sentinel': { topology: 'sentinel', trust: undefined },
  'rediss-sentinel': { topology: 'sentinel', trust: 'host' },
};
const FILES = new Set(['unix', 'redis+unix', 'redis-socket', 'redis+socket', 'file']);

/**
 * Settings of `{url}` or `{host, port, tls, db, auth}`. TLS is spoken only where `rediss:` or
 * `tls` asks for it, and then with a trusted certificate of that host. Contract §5; Spec silent
 * on the schemes of clusters and sentinels, which are those of usual clients.
 * @throws GatewayError INVALID_CONFIGURATION
 */
export function settingsOf(connection: Json): Settings {
  const parts = partsOf(connection);
  const settings = 'url' in parts ? fromUrl(parts) : fromParts(parts);
  if (settings.username !== '' && settings.password === '') {
    throw invalid('The connection names a user without a password');
  }
  return settings;
}

function fromParts(parts: InParts): Settings {
  const { username = '', password = '' } = credentials(parts.auth);
  return {
    ...DEFAULTS,
    addresses: [{ host: hostOf(parts.host), port: parts.port ?? PORT }],
    username,
    password,
    trust: parts.tls === true ? 'host' : undefined,
    database: databaseOf(parts.db === undefined ? '' : String(parts.db)),
  };
}

const URL_PARTS = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?$/i;

function fromUrl({ url, auth }: InUrl): Settings {
  const found = URL_PARTS.exec(url);
  if (!found) throw invalid('The connection URL cannot be read');
  const [, scheme = '', authority = '', path = '', query = ''] = found;
  const said = schemeOf(scheme.toLowerCase());
  const at = authority.lastIndexOf('@');
  const apart = credentials(auth);
  const [user = '', ...rest] = authority.slice(0, Math.max(0, at)).split(':');
  const options = readOptions<Options>(new URLSearchParams(query), READERS);
  const { cluster, ...others } = options;
  const topology = cluster === undefined ? said.topology : topologyOf(said.topology, cluster);
  const addresses = addressesOf(authority.slice(at + 1), topology);
  return checked({
    ...DEFAULTS,
    ...said,
    username: apart.username ?? others.username ?? decoded(user),
    password: apart.password ?? others.password ?? decoded(rest.join(':')),
    ...fromPath(path, topology === 'sentinel' && options.master === undefined),
    ...withoutCredentials(others),
    topology,
    addresses,
    trust: trustOf(said.trust, options),
    sentinel: {
      username: options.sentinelUsername ?? '',
      password: options.sentinelPassword ?? '',
    },
  });
}

/** What an option says about the server itself, without its login. */
function withoutCredentials(options: Options): Partial<Settings> {
  const { database, protocol, clientName, connectTimeoutMs, fromReplicas, master } = options;
  const given = { database, protocol, clientName, connectTimeoutMs, fromReplicas, master };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function schemeOf(scheme: string): Pick<Settings, 'topology' | 'trust'> {
  if (FILES.has(scheme)) throw invalid('A connection goes to a host, not to a socket file');
  const said = Object.hasOwn(SCHEMES, scheme) ? SCHEMES[scheme] : undefined;
  if (said) return said;
  throw invalid(
    'The connection URL begins with redis://, rediss://, redis+cluster:// or redis+sentinel://',
  );
}

function topologyOf(topology: Settings['topology'], cluster: boolean): Settings['topology'] {
  if (topology === 'sentinel' && cluster) throw invalid('Sentinels name a master, not a cluster');
  if (topology === 'sentinel') return topology;
  return cluster ? 'cluster' : 'single';
}

function trustOf(said: Settings['trust'], { tls, trust }: Options): Settings['trust'] {
  const wanted = tls ?? said !== undefined;
  if (!wanted && trust !== undefined && trust !== 'any') {
    throw invalid('An option of the connection URL asks for TLS, which rediss:// begins');
  }
  return wanted ? (trust ?? 'host') : undefined;
}

function addressesOf(hosts: string, topology: Settings['topology']): Address[] {
  const port = topology === 'sentinel' ? SENTINEL_PORT : PORT;
  const addresses = hosts.split(',').map((each) => addressOf(each, port));
  if (topology === 'single' && addresses.length > 1) {
    throw invalid('Lists of hosts are taken by redis+cluster:// and redis+sentinel:// alone');
  }
  return addresses;
}

function addressOf(text: string, usualPort: number): Address {
  const found = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text);
  const port = Number(found?.[2] ?? usualPort);
  if (!found || port < 1 || port > 65_535) throw invalid('A host of the connection URL is not one');
  return { host: hostOf(decoded(found[1] ?? '').replace(/^\[(.*)\]$/, '$1')), port };
}

function hostOf(host: string): string {
  if (host === '') throw invalid('The connection names no host');
  if (host.includes('/')) throw invalid('A connection goes to a host, not to a socket file');
  if (host.includes(',')) {
    throw invalid('Lists of hosts are taken by redis+cluster:// and redis+sentinel:// alone');
  }
  return host;
}

/** `/0`, and where it names the master `/mymaster/0`. */
function fromPath(path: string, namesMaster: boolean): Partial<Settings> {
  const parts = path.split('/').slice(1).map(decoded);
  const master = namesMaster ? parts.shift() : undefined;
  const [database = '', ...more] = parts;
  if (more.length > 0) throw invalid('The path of the connection URL names one database');
  return {
    ...(master ? { master } : {}),
    ...(database === '' ? {} : { database: databaseOf(database) }),
  };
}

function databaseOf(text: string): number {
  if (text === '') return 0;
  if (!/^\d{1,9}$/.test(text)) throw invalid('A database of Redis is a number');
  return Number(text);
}

function checked(settings: Settings): Settings {
  const { topology, master, sentinel } = settings;
  if (topology === 'sentinel' && master === '') {
    throw invalid('The path of a redis+sentinel:// URL names the master: /mymaster');
  }
  if (topology !== 'sentinel' && (master !== '' || sentinel.password !== '')) {
    throw invalid('Options of sentinels are taken by redis+sentinel:// alone');
  }
  if (topology === 'single' && settings.fromReplicas) {
    throw invalid('Option read_from_replicas is taken for clusters and sentinels alone');
  }
  return settings;
}
