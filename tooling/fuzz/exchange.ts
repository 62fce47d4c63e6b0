/** One request and its reply, as the proxy saw them pass. */

/** A request as it was sent on. */
export interface Sent {
  readonly method: string;
  /** Path with query, as on the wire. */
  readonly target: string;
  /** Name and value in turn, as on the wire. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** What came back. */
export interface Answered {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** What passed. */
export interface Exchange {
  readonly sent: Sent;
  /** Undefined when the connection ended, or the time was up, before the reply was whole. */
  readonly answered: Answered | undefined;
  /** Until the reply was whole, in milliseconds. */
  readonly ms: number;
}

/** The value of the first header of that name, compared without case. */
export function headerOf(headers: readonly string[], name: string): string | undefined {
  const at = headers.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name);
  return at < 0 ? undefined : headers[at + 1];
}

/** The body as JSON; undefined when it is not JSON. */
export function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** The path alone, without what percent signs stand for where they stand for something. */
export function pathOf({ target }: Sent): string {
  const [path = ''] = target.split('?');
  return decoded(path);
}

/** Percent-decoded where that can be. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Longest body that a command line is given; a longer one is left to the seed. */
const SHELL_BODY_MAX = 4096;

/**
 * A line for a shell that sends the same, with the README's `$API` and `$TOKEN` instead of what
 * was the run's own.
 */
export function curlOf({ method, target, headers, body }: Sent): string {
  const given = [];
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (!GENERATED.has(name.toLowerCase())) given.push(`-H ${quoted(`${name}: ${value}`)}`);
  }
  const path = target.startsWith(API)
    ? `"$API"${quoted(target.slice(API.length))}`
    : quoted(target);
  const sends =
    body.length === 0
      ? []
      : body.length <= SHELL_BODY_MAX
        ? [`--data-binary ${quotedBytes(body)}`]
        : [`# and a body of ${body.length} bytes`];
  return ['curl -sS --path-as-is -X', method, path, ...given, ...sends].join(' ');
}

const API = '/api/v1';
const TOKEN = /(?<=^Authorization: Bearer )eyJ[\w.-]+$/i;
const GENERATED = new Set([
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'user-agent',
]);

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''").replace(TOKEN, `'"$TOKEN"'`)}'`;
}

/** Bytes that are no plain text are written as `$'…'` writes them. */
function quotedBytes(body: Buffer): string {
  const text = body.toString('latin1');
  if (/^[\x20-\x7e]*$/.test(text)) return quoted(text);
  const escaped = text.replace(
    /[^\x20-\x7e]|['\\]/g,
    (each) => `\\x${each.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return `$'${escaped}'`;
}
