/** Where a request goes: a path under the configured URL, and no other. Contract §6, "http kind". */
import { badRequest } from '../../proto/errors.ts';
import { type Header, headersOf } from './headers.ts';

/** Most characters of a path, and of a URL as a whole. Spec silent. */
export const PATH_MAX = 8_192;
const URL_MAX = 32_768;
/** How often a path is decoded in search of what it hides. */
const DECODED_MAX = 4;

/** What a connection says, ready for requests. Holds credentials: never log it. */
export interface Base {
  readonly url: URL;
  /** Sent to the URL's origin alone. */
  readonly sealed: readonly Header[];
}

/** Values of one name of the query. */
type QueryValue = string | number | boolean | null;
type Query = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/** Why an endpoint may not have a URL; undefined when it may. */
export function faultOfBase(text: string): string | undefined {
  const url = /^https?:\/\/[^/?#\\\s][^\\\s]*$/i.test(text) ? URL.parse(text) : null;
  if (url === null || url.hostname === '')
    return 'must be a URL that begins with https:// or http://';
  if (/%(?![\da-f]{2})/i.test(url.username + url.password)) return 'must have %25 in place of %';
  if (url.hash !== '' || text.includes('#')) return 'must have no fragment';
  return faultOfPath(url.pathname.replace(/\/$/, ''));
}

/** The URL with its user information as a header: it is never part of a request's own URL. */
export function baseOf(text: string, headers: Readonly<Record<string, string>> = {}): Base {
  const url = new URL(text);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const login: Header[] =
    username === '' && password === '' ? [] : [['authorization', basic(username, password)]];
  return { url, sealed: [...login, ...headersOf(headers)] };
}

/** RFC 7617, in UTF-8. */
function basic(username: string, password: string): string {
  const text = `${percentDecoded(username)}:${percentDecoded(password)}`;
  const bytes = new TextEncoder().encode(text);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
}

/**
 * The URL of a request; what the configured URL's own query names wins.
 * @throws GatewayError BAD_REQUEST when it would leave the configured URL
 */
export function urlOf({ url: base }: Base, path: string, query: Query): URL {
  const url = new URL(base);
  const root = base.pathname.replace(/\/$/, '');
  if (path !== '') url.pathname = `${root}/${path.replace(/^\//, '')}`;
  const stays = url.origin === base.origin && `${url.pathname}/`.startsWith(`${root}/`);
  const fault = faultOfPath(path) ?? (stays ? undefined : ELSEWHERE);
  if (fault !== undefined) throw badRequest('path', fault);
  const own = valuesIn(query).filter(([name]) => !base.searchParams.has(name));
  // The configured query stays as it was written: it may be signed.
  if (own.length > 0) {
    url.search = [base.search.slice(1), String(new URLSearchParams(own))].filter(Boolean).join('&');
  }
  if (url.href.length > URL_MAX) {
    throw badRequest('query', `makes a URL of more than ${URL_MAX} characters`);
  }
  return url;
}

/** A list stands for several values, null for none. */
function valuesIn(query: Query): [name: string, value: string][] {
  return Object.entries(query).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? (value as readonly QueryValue[]) : [value as QueryValue];
    return values
      .filter((each) => each !== null)
      .map((each): [string, string] => [name, String(each)]);
  });
}

/** Such text has no UTF-8: another character would be sent in its place. */
export const HALF_A_PAIR = 'must hold no half of a surrogate pair';
const ELSEWHERE = 'must be a path under the URL of the endpoint';

/** What no path may hold as it is written. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/^[a-z][a-z\d+.-]*:\/\//i, ELSEWHERE],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  [/[\x00-\x20\x7f\\]/, 'must hold no spaces, backslashes and control characters'],
  [/[?#]/, 'must have no query and no fragment: the query is `query`'],
  [/@/, 'must have %40 in place of @'],
  [/%(?![\da-f]{2})/i, 'must have %25 in place of %'],
  [/^\/\/|.\/\//, 'must have no empty part'],
];

/**
 * Why a path does not stay under the configured URL, whatever server reads it: dots, slashes and
 * backslashes are looked for behind every encoding that a server may undo. Undefined when it stays.
 */
export function faultOfPath(path: string): string | undefined {
  const found = FAULTS.find(([pattern]) => pattern.test(path));
  if (found) return found[1];
  if (!path.isWellFormed()) return HALF_A_PAIR;
  let decoded = path;
  for (let round = 0; round < DECODED_MAX; round += 1) {
    if (hidesDots(decoded)) return 'must have no part that is . or ..';
    const next = percentDecoded(decoded);
    if (next === decoded) return undefined;
    if (hasNeverInText(next)) return 'must encode text in UTF-8, without control characters';
    decoded = next;
  }
  return 'must be encoded once';
}

/** Parts as servers see them that take backslashes for slashes, and parameters and spaces off. */
function hidesDots(path: string): boolean {
  return path
    .normalize('NFKC')
    .split(/[/\\]/)
    .some((part) => /^\s*\.{1,2}\s*$/.test(part.split(';', 1)[0] ?? ''));
}

/** Bytes as characters where they are no UTF-8. */
function percentDecoded(path: string): string {
  return path.replaceAll(/(?:%[\da-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run.replaceAll(/%(..)/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
    }
  });
}

/** Control characters, and the bytes with which other characters are hidden in what is no UTF-8: more than they need. */
function hasNeverInText(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  return /[\x00-\x1f\x7f]|(?:[\xc0\xc1]|\xe0[\x80-\x9f]|\xf0[\x80-\x8f]|\xf8[\x80-\x87]|\xfc[\x80-\x83])[\x80-\xbf]/.test(
    text,
  );
}
