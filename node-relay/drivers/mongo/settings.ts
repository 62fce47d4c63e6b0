/** Reads a mongo connection of an endpoint's configuration; nothing else of the relay's machine takes part in it. */

import { MongoClient, type MongoClientOptions } from 'mongodb';
import { decoded, invalid } from '../../../kinds/connection-options.ts';
import { Auth, ConnectionParts } from '../../../kinds/members.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';

/** How to reach and enter a deployment. Holds the password: never log it. */
export interface Settings {
  /** In the driver's form, without options that are ours to set. */
  readonly url: string;
  readonly options: MongoClientOptions;
  /** Of requests that name none. */
  readonly database: string;
  /** Whether results are canonical Extended JSON without being asked for it. */
  readonly canonical: boolean;
}

const DEFAULT_PORT = 27_017;
const DEFAULT_DATABASE = 'test';

/** Options of the URL that say nothing about the relay, in lower case. Source: MongoDB manual, "Connection String Options". */
const TAKEN = new Set(
  [
    'appname authsource authmechanism authmechanismproperties connecttimeoutms directconnection',
    'heartbeatfrequencyms journal loadbalanced localthresholdms maxidletimems maxpoolsize',
    'maxconnecting minpoolsize maxstalenessseconds readconcernlevel readpreference',
    'readpreferencetags replicaset retryreads retrywrites serverselectiontimeoutms',
    'servermonitoringmode sockettimeoutms srvmaxhosts srvservicename ssl tls w wtimeoutms wtimeout',
    'waitqueuetimeoutms zlibcompressionlevel compressors tlsinsecure tlsallowinvalidcertificates',
    'tlsallowinvalidhostnames timeoutms uuidrepresentation',
  ]
    .join(' ')
    .split(' '),
);
/** Of these the endpoint's own limits and the driver's monitoring decide: taken without effect. */
const WITHOUT_EFFECT = new Set([
  ...['maxpoolsize', 'minpoolsize', 'maxconnecting', 'waitqueuetimeoutms', 'timeoutms'],
  ...['servermonitoringmode', 'compressors', 'zlibcompressionlevel', 'uuidrepresentation'],
]);
const MECHANISMS = new Set(['DEFAULT', 'SCRAM-SHA-1', 'SCRAM-SHA-256', 'PLAIN']);
const SELECTION_MAX_MS = 10_000;
const CONNECT_MAX_MS = 10_000;

/**
 * Settings of `{url}` or `{host, port, tls, db, auth}` and of the members of the configuration
 * next to it. Contract §5; Spec silent on defaults.
 * @throws GatewayError INVALID_CONFIGURATION
 */
export function settingsOf(connection: Json, config: Readonly<Record<string, Json>>): Settings {
  const parsed = ConnectionParts.safeParse(connection);
  if (!parsed.success) throw invalid('Connection URL is required');
  const url = 'url' in parsed.data ? fromUrl(parsed.data) : fromParts(parsed.data);
  const outer = Auth.safeParse(config.auth);
  enter(url, parsed.data.auth, outer.success ? outer.data : undefined);
  const named = typeof config.db_name === 'string' ? config.db_name : '';
  const path = decoded(url.database);
  const settings: Settings = {
    url: urlText(url),
    options: { ...OURS, ...timesOf(url.options) },
    database: named || path || DEFAULT_DATABASE,
    canonical: config.accept === 'EJSON',
  };
  tried(settings);
  return settings;
}

/** What no URL may change. */
const OURS: MongoClientOptions = {
  appName: 'causeway',
  // Each call takes a slot of the endpoint before it takes a connection.
  maxPoolSize: 0,
  minPoolSize: 0,
  // One monitoring socket for each member, instead of two.
  serverMonitoringMode: 'poll',
  compressors: ['none'],
  ignoreUndefined: false,
  promoteValues: false,
  promoteLongs: false,
  promoteBuffers: false,
  bsonRegExp: true,
};

/** A URL taken apart. */
interface Url {
  readonly scheme: string;
  user: string | undefined;
  password: string | undefined;
  readonly hosts: string;
  readonly database: string;
  readonly options: Map<string, string>;
}

const PARTS = /^(mongodb(?:\+srv)?):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;

function fromUrl({ url }: Extract<ConnectionParts, { url: string }>): Url {
  if (!/^mongodb(?:\+srv)?:\/\//.test(url)) {
    throw invalid('The connection URL begins with mongodb:// or mongodb+srv://');
  }
  const [, scheme, userInfo, hosts, database = '', query = ''] = PARTS.exec(url) ?? [];
  if (scheme === undefined || hosts === undefined)
    throw invalid('The connection URL cannot be read');
  if (/%2f|\.sock\b/i.test(hosts))
    throw invalid('A connection goes to a host, not to a socket file');
  const options = new Map<string, string>();
  for (const pair of query.split('&').filter(Boolean)) {
    const [name = '', ...rest] = pair.split('=');
    const value = rest.join('=');
    checkOption(name, decoded(value));
    if (!WITHOUT_EFFECT.has(name.toLowerCase())) options.set(name, value);
  }
  const [user, ...password] = userInfo?.split(':') ?? [];
  return {
    scheme,
    user: user || undefined,
    password: password.length > 0 ? password.join(':') : undefined,
    hosts,
    database,
    options,
  };
}

function fromParts(parts: Exclude<ConnectionParts, { url: string }>): Url {
  const { host, port = DEFAULT_PORT, tls, db } = parts;
  if (/[/@?#,\s]/.test(host) || host === '') throw invalid('The connection names no host');
  const written = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const options = new Map([['directConnection', 'true']]);
  if (tls !== undefined) options.set('tls', String(tls));
  return {
    scheme: 'mongodb',
    user: undefined,
    password: undefined,
    hosts: `${written}:${port}`,
    database: db === undefined ? '' : encodeURIComponent(String(db)),
    options,
  };
}

function checkOption(name: string, value: string): void {
  const lower = name.toLowerCase();
  if (!TAKEN.has(lower)) {
    throw invalid(`Option ${name.slice(0, 64)} of the connection URL is not taken`);
  }
  if (lower === 'w' && value === '0') {
    throw invalid('Option w is at least 1: a reply tells what the server has done');
  }
  if (lower === 'authmechanism' && !MECHANISMS.has(value)) {
    throw invalid(`Option authMechanism is one of ${[...MECHANISMS].join(', ')}`);
  }
  if (lower === 'authmechanismproperties' && !/^(?:SERVICE_NAME:\w+)?$/i.test(value)) {
    throw invalid('Option authMechanismProperties is not taken');
  }
}

/** Contract §5: a password, `user:password` or both apart; the text `None` means no password. */
function enter(url: Url, own: ConnectionParts['auth'], outer: ConnectionParts['auth']): void {
  const auth = own ?? (url.user === undefined ? outer : undefined);
  if (auth === undefined || auth === 'None' || auth === '') return;
  const { username, password } =
    typeof auth === 'string'
      ? credentialsIn(auth)
      : { username: auth.username, password: auth.password };
  if (username !== undefined) url.user = encodeURIComponent(username);
  if (url.user === undefined) throw invalid('The connection has a password and names no user');
  url.password = encodeURIComponent(password);
}

function credentialsIn(auth: string): { username: string | undefined; password: string } {
  const colon = auth.indexOf(':');
  if (colon < 0) return { username: undefined, password: auth };
  return { username: auth.slice(0, colon), password: auth.slice(colon + 1) };
}

function urlText({ scheme, user, password, hosts, database, options }: Url): string {
  const userInfo =
    user === undefined ? '' : `${user}${password === undefined ? '' : `:${password}`}@`;
  const query = [...options].map(([name, value]) => `${name}=${value}`).join('&');
  return `${scheme}://${userInfo}${hosts}/${database}${query === '' ? '' : `?${query}`}`;
}

/** Times that a URL may shorten, and no more. */
function timesOf(options: ReadonlyMap<string, string>): MongoClientOptions {
  const wanted = (name: string, most: number) => {
    const found = [...options].find(([each]) => each.toLowerCase() === name);
    const ms = Number(found?.[1]);
    return ms > 0 && ms < most ? ms : most;
  };
  return {
    serverSelectionTimeoutMS: wanted('serverselectiontimeoutms', SELECTION_MAX_MS),
    connectTimeoutMS: wanted('connecttimeoutms', CONNECT_MAX_MS),
  };
}

/** The driver's own look at it; its words may hold pieces of the URL. */
function tried({ url, options }: Settings): void {
  try {
    new MongoClient(url, options);
  } catch (cause) {
    const message = 'The connection URL has options that do not fit together or cannot be read';
    throw new GatewayError('INVALID_CONFIGURATION', message, { cause });
  }
}
