/** Headers of requests and replies: whose they are, and what they may hold. Contract §6, "http kind". */

import { bareName, isTargetOverride } from './overrides.ts';

/** A header as it travels, its name in lower case. */
export type Header = readonly [name: string, value: string];

/** RFC 9110, section 5.6.2. */
const NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]{1,256}$/;
/** RFC 9110, section 5.5, without bytes beyond ASCII: runtimes differ in how they write those. */
const VALUE = /^[\t\x20-\x7e]{0,16384}$/;

/**
 * Headers that only the gateway sets: of the connection, of the message's frame, or about clients
 * and proxies. RFC 9110, section 7.6.1, and what proxies use besides it.
 */
const OURS = new Set(
  [
    'host',
    'connection',
    'keep-alive',
    'proxy-connection',
    'proxy-authenticate',
    'proxy-authorization',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
    'http2-settings',
    'expect',
    'content-length',
    'accept-encoding',
    'forwarded',
    'via',
    'x-real-ip',
    'x-client-ip',
    'x-cluster-client-ip',
    'true-client-ip',
    'client-ip',
  ].map(bareName),
);
const OURS_BY_BEGINNING =
  /^[^a-z\d]*(?:x[^a-z\d]*(?:forwarded|original|rewrite|envoy)|cf)[^a-z\d]/i;

/** Why a header may not be sent; undefined when it may. */
export function faultOfHeader(name: string, value: string): string | undefined {
  if (!NAME.test(name)) return 'is not the name of a header';
  // In any spelling that a server may take for the same.
  if (OURS.has(bareName(name)) || OURS_BY_BEGINNING.test(name) || isTargetOverride(name)) {
    return 'is for the gateway to set';
  }
  return VALUE.test(value)
    ? undefined
    : 'must be at most 16384 visible ASCII characters and spaces';
}

/** What is sent to the configured origin: sealed headers win over the caller's, the caller's over ours. */
export function mergedHeaders(...layers: readonly (readonly Header[])[]): Header[] {
  return [...new Map(layers.flat())];
}

/** Headers that a record names. */
export function headersOf(record: Readonly<Record<string, string>> = {}): Header[] {
  return Object.entries(record).map(([name, value]) => [name.toLowerCase(), value.trim()]);
}

/** These identify the caller: they are not sent to an origin that a redirect names. */
const CREDENTIALS = ['authorization', 'cookie'];

/** A caller's headers for another origin. Source: Fetch standard, "HTTP-redirect fetch". */
export function withoutCredentials(headers: readonly Header[]): Header[] {
  return headers.filter(([name]) => !CREDENTIALS.includes(name));
}

/** Of the connection between server and gateway: no part of a result. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Further ones of the connection alone, as it says. RFC 9110, section 7.6.1. */
function namedByConnection(headers: readonly Header[]): string[] {
  return headers
    .filter(([name]) => name === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((name) => name.trim());
}

/** They describe the bytes as they were sent. */
const OF_BYTES = new Set(['content-encoding', 'content-length']);

/** A reply's headers as a result reports them: several of one name joined, cookies as a list. */
export function headersOfResult(
  headers: readonly Header[],
  isDecoded: boolean,
): Record<string, string | string[]> {
  const ofConnection = new Set([...HOP_BY_HOP, ...namedByConnection(headers)]);
  const told = headers.filter(
    ([name]) => !ofConnection.has(name) && !(isDecoded && OF_BYTES.has(name)),
  );
  const values = Map.groupBy(told, ([name]) => name);
  return Object.fromEntries(
    [...values].map(([name, each]) => {
      const all = each.map(([, value]) => value);
      return [name, name === 'set-cookie' ? all : all.join(', ')];
    }),
  );
}

/** The value of a header, the first of several. */
export function headerOf(headers: readonly Header[], name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1];
}
