/** What of a configuration may be shown: all but what could be a secret. Contract §5. */
import { GatewayError } from '../../proto/errors.ts';
import { isJsonObject, type Json } from '../../proto/json.ts';
import type { EndpointConfig } from './config.ts';

/** Stands where a secret is. */
export const REDACTED = '***';

/** Members of a configuration, and of a connection in it, that hold no secret. */
const SHOWN = new Set(['db_name', 'content', 'accept', 'transport', 'allow_functions']);
const SHOWN_OF_CONNECTION = new Set(['host', 'port', 'tls', 'db']);

/** Options of a URL whose values hold no secret, in lower case; of any other the value is not shown. */
const SHOWN_OPTIONS = new Set([
  'appname',
  'application_name',
  'authsource',
  'channel_binding',
  'charset',
  'client_encoding',
  'connect_timeout',
  'connecttimeoutms',
  'directconnection',
  'maxpoolsize',
  'minpoolsize',
  'readconcernlevel',
  'readpreference',
  'replicaset',
  'retryreads',
  'retrywrites',
  'ssl',
  'sslmode',
  'statement_timeout',
  'target_session_attrs',
  'timezone',
  'tls',
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

/** `scheme://`, what stands before the last `@`, host and path, options, fragment. */
const URL_PARTS = /^([a-z][a-z0-9+.-]*:\/\/)(?:(.*)@)?([^@?#]*)(?:\?([^#]*))?(#.*)?$/is;

/**
 * A connection URL without its secrets. User-info ends at the last `@` of the text, because a
 * password may have been left unescaped.
 */
export function redactUrl(url: string): string {
  const parts = URL_PARTS.exec(url);
  if (!parts) return REDACTED;
  const [, scheme = '', userInfo, server = '', options, fragment] = parts;
  return [
    scheme,
    userInfo === undefined ? '' : `${REDACTED}@`,
    server,
    options === undefined ? '' : `?${options.split('&').map(redactOption).join('&')}`,
    fragment === undefined ? '' : `#${REDACTED}`,
  ].join('');
}

function redactOption(option: string): string {
  const [name = '', ...value] = option.split('=');
  if (value.length === 0) return option === '' ? '' : REDACTED;
  return SHOWN_OPTIONS.has(name.toLowerCase()) ? option : `${name}=${REDACTED}`;
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
  const parts = URL_PARTS.exec(text);
  if (!parts) return false;
  const [, , userInfo, , options, fragment] = parts;
  return (
    (userInfo?.split(':').includes(REDACTED) ?? false) ||
    (options?.split('&').some((each) => each.split('=').includes(REDACTED)) ?? false) ||
    fragment === `#${REDACTED}`
  );
}
