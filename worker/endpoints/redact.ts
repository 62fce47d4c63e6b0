/** What of a configuration may be shown: all but what could be a secret. Contract §5. */
import { GatewayError } from '../../proto/errors.ts';
import { isJsonObject, type Json } from '../../proto/json.ts';
import type { EndpointConfig } from './config.ts';
import { splitUrl } from './connection-url.ts';

/** Stands where a secret is. */
export const REDACTED = '***';

/** Members of a configuration, and of a connection in it, that hold no secret. */
const SHOWN = new Set([
  'accept',
  'allow',
  'allow_functions',
  'content',
  'db_name',
  'numbers',
  'once',
  'session',
  'transport',
  'vpn_route',
]);
const SHOWN_OF_CONNECTION = new Set(['host', 'port', 'tls', 'db']);

/** Options of a URL whose values hold no secret, in lower case; of any other the value is not shown. */
const SHOWN_OPTIONS = new Set([
  'application_name',
  'appname',
  'authsource',
  'channel_binding',
  'charset',
  'client_encoding',
  'client_name',
  'clientname',
  'cluster',
  'connect-timeout',
  'connect_timeout',
  'connectionname',
  'connecttimeout',
  'connecttimeoutms',
  'consistency',
  'database',
  'db',
  'default-character-set',
  'dial_timeout',
  'directconnection',
  'master_name',
  'maxpoolsize',
  'minpoolsize',
  'program_name',
  'protocol',
  'read_from_replicas',
  'readconcernlevel',
  'readpreference',
  'replicaset',
  'retryreads',
  'retrywrites',
  'secure',
  'sentinelmasterid',
  'serial_consistency',
  'service_name',
  'skip_verify',
  'socket_connect_timeout',
  'ssl',
  'ssl-mode',
  'ssl_cert_reqs',
  'ssl_check_hostname',
  'ssl_mode',
  'sslmode',
  'statement_timeout',
  'target_session_attrs',
  'timezone',
  'tls',
  'verifypeer',
  'w',
]);

/** A configuration as replies show it. Members that this list does not know are not shown either. */
export function redactConfig(config: EndpointConfig): Json {
  const shown = Object.entries(config).map(([member, value]): [string, Json] => {
    if (member.endsWith('_conn') && isJsonObject(value)) return [member, redactConnection(value)];
    return [member, SHOWN.has(member) ? value : redactValue(value)];
  });
  return Object.fromEntries(shown);
}

function redactConnection(connection: { readonly [member: string]: Json }): Json {
  const shown = Object.entries(connection).map(([member, value]): [string, Json] => {
    if (member === 'url' && typeof value === 'string') return [member, redactUrl(value)];
    return [member, SHOWN_OF_CONNECTION.has(member) ? value : redactValue(value)];
  });
  return Object.fromEntries(shown);
}

/** Keeps the names of members; an empty text and the text `None` say that there is no secret. */
function redactValue(value: Json): Json {
  if (value === null || value === '' || value === 'None') return value;
  if (!isJsonObject(value)) return REDACTED;
  return Object.fromEntries(
    Object.entries(value).map(([member, each]) => [member, redactValue(each)]),
  );
}

/** A connection URL without its secrets; nothing of what cannot be told apart. */
export function redactUrl(url: string): string {
  const parts = splitUrl(url);
  if (!parts) return REDACTED;
  const { scheme, userInfo, hosts, path, options, fragment } = parts;
  return [
    scheme,
    userInfo === undefined ? '' : `${REDACTED}@`,
    hosts + path,
    options === undefined ? '' : `?${options.split('&').map(redactOption).join('&')}`,
    fragment === undefined ? '' : `#${REDACTED}`,
  ].join('');
}

/** The name of an unknown option may be a piece of a password that was left unescaped. */
function redactOption(option: string): string {
  const [name = ''] = option.split('=', 1);
  return option === '' || SHOWN_OPTIONS.has(name.toLowerCase()) ? option : REDACTED;
}

/**
 * Refuses a configuration that carries what a reply showed in place of a secret: stored, it
 * would replace the secret.
 * @throws GatewayError BAD_REQUEST naming where
 */
export function refuseRedacted(config: EndpointConfig): void {
  const details = redactedPaths(config, ['config']).map((path) => ({
    path: path.join('.'),
    message: 'is redacted: send the value itself, or leave the member out',
  }));
  const [first] = details;
  if (!first) return;
  throw new GatewayError('BAD_REQUEST', `${first.path}: ${first.message}`, { details });
}

function redactedPaths(value: Json, path: readonly string[]): (readonly string[])[] {
  if (typeof value === 'string') return isRedacted(value) ? [path] : [];
  if (Array.isArray(value)) {
    return value.flatMap((each, index) => redactedPaths(each, [...path, String(index)]));
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([member, each]) => redactedPaths(each, [...path, member]));
}

function isRedacted(text: string): boolean {
  if (text === REDACTED) return true;
  const { userInfo, options, fragment } = splitUrl(text) ?? {};
  return (
    fragment === REDACTED ||
    (userInfo?.split(':').includes(REDACTED) ?? false) ||
    (options?.split(/[&=]/).includes(REDACTED) ?? false)
  );
}
