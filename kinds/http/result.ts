/** Results of kind `http`: a reply as JSON text. Contract §6, "http kind". */
import type { Call, ResultBytes } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import { GatheredBytes } from '../../proto/gathered-bytes.ts';
import { isJson } from '../../proto/is-json.ts';
import { headerOf, headersOfResult } from './headers.ts';
import type { Method } from './request.ts';
import type { Incoming } from './transport.ts';

/** How a body is written in a result. */
export const BODY_ENCODINGS = ['json', 'text', 'base64', 'none'] as const;
type Encoding = (typeof BODY_ENCODINGS)[number];

/** Characters of a failed reply's body that an error gives. Spec silent. */
const TOLD_MAX = 1_024;
/** How many bytes become base64 at a time: without a remainder, and few enough for one call. */
const BASE64_STEP = 12_288;

const encoder = new TextEncoder();
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What a result depends on besides the reply. */
interface HttpRequestFacts {
  readonly method: Method;
  readonly failsOnStatus: boolean;
  readonly reads: boolean;
}

/**
 * The reply as a result, bounded while it arrives. JSON goes through as it was written, so that no
 * digit is lost.
 * @throws GatewayError RESULT_TOO_LARGE, REQUEST_FAILED for a status that was to be a failure
 */
export async function resultOf(
  reply: Incoming,
  sent: HttpRequestFacts,
  { resultMaxBytes }: Pick<Call, 'resultMaxBytes'>,
): Promise<ResultBytes> {
  const bytes = await readBody(reply, sent, resultMaxBytes);
  const { encoding, text } = bodyText(bytes, headerOf(reply.headers, 'content-type') ?? '');
  const { status } = reply;
  if (sent.failsOnStatus && status >= 400) throw failedStatus(status, bytes);
  const headers = JSON.stringify(headersOfResult(reply.headers, reply.isDecoded));
  const head = `{"status":${status},"headers":${headers},"body":`;
  const result = encoder.encode(`${head}${text},"body_encoding":"${encoding}"}`);
  if (result.byteLength > resultMaxBytes) throw tooLarge(reply, sent, resultMaxBytes);
  return result;
}

/** The body whole; of one that says that it is too long, nothing is read. */
async function readBody(
  reply: Incoming,
  sent: HttpRequestFacts,
  most: number,
): Promise<Uint8Array> {
  const told = sent.method === 'HEAD' ? undefined : headerOf(reply.headers, 'content-length');
  const gathered = new GatheredBytes();
  for await (const piece of reply.body) {
    if (gathered.length + piece.byteLength > most || Number(told ?? 0) > most) {
      throw tooLarge(reply, sent, most);
    }
    gathered.add(piece);
  }
  return gathered.take();
}

/** The body as JSON text. */
function bodyText(bytes: Uint8Array, type: string): { encoding: Encoding; text: string } {
  if (bytes.byteLength === 0) return { encoding: 'none', text: 'null' };
  const text = textIn(bytes);
  if (text === undefined) return { encoding: 'base64', text: `"${base64Of(bytes)}"` };
  const json = isJsonType(type) ? jsonIn(text) : undefined;
  if (json !== undefined) return { encoding: 'json', text: json };
  return { encoding: 'text', text: JSON.stringify(text) };
}

/** RFC 6839, section 3.1. */
function isJsonType(type: string): boolean {
  return /^\s*(?:application\/json|[\w.+-]+\/[\w.+-]+\+json)\s*(?:;|$)/i.test(type);
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

function jsonIn(text: string): string | undefined {
  const bare = text.replace(/^\uFEFF/, '');
  return isJson(bare) ? bare : undefined;
}

function base64Of(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.byteLength; at += BASE64_STEP) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + BASE64_STEP))));
  }
  return pieces.join('');
}

/** What a method that writes did stays done. */
function tooLarge({ status }: Incoming, { reads }: HttpRequestFacts, most: number): GatewayError {
  const message = `The reply is larger than ${most} bytes`;
  const applied = !reads && status < 400;
  return new GatewayError('RESULT_TOO_LARGE', message, {
    details: applied ? [{ source: 'http', code: String(status), message, applied: true }] : [],
  });
}

function failedStatus(status: number, bytes: Uint8Array): GatewayError {
  const text = textIn(bytes) ?? '';
  const message = text === '' ? `The server answered ${status}` : text.slice(0, TOLD_MAX);
  return new GatewayError('REQUEST_FAILED', `The server answered ${status}`, {
    details: [{ source: 'http', code: String(status), message }],
  });
}
