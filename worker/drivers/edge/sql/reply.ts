/** What the SQL vendors' drivers share: replies read within bounds, results as bytes, errors for what the vendors lack. */
import { GatewayError } from '../../../../proto/errors.ts';
import { GatheredBytes } from '../../../../proto/gathered-bytes.ts';
import { isJson } from '../../../../proto/is-json.ts';
import { Lost } from '../driver.ts';

/** Characters of a reply that are read as JSON without a look at them before. Spec silent. */
const UNSEEN_MAX = 262_144;

/**
 * The text of a reply, read no further than `max` bytes; undefined when it is longer.
 * @throws Lost when it ends early, or is long and no JSON
 */
export async function boundedText(
  response: Response,
  max: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const gathered = new GatheredBytes();
  try {
    for await (const piece of response.body ?? []) {
      if (gathered.length + piece.byteLength > max) return undefined;
      gathered.add(piece);
    }
  } catch (cause) {
    if (signal.aborted)
      throw new Lost('TIMED_OUT', 'The deadline of the request passed', { cause });
    throw new Lost('CONNECTION_FAILED', 'The connection to the backend failed', { cause });
  }
  const text = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(gathered.take());
  // What is nested very deep takes seconds to parse, and a memory of its own.
  if (text.length > UNSEEN_MAX && !isJson(text)) throw unreadable();
  return text;
}

/** What came is no reply of the vendor's. */
export function unreadable(): Lost {
  return new Lost('CONNECTION_FAILED', 'The database gave no reply that can be read');
}

/** A reply holds digits twice as long as the result and names its columns at length. */
export function replyMax(resultMaxBytes: number): number {
  return 2 * resultMaxBytes + 65_536;
}

/** Bytes of a result's text. @throws GatewayError RESULT_TOO_LARGE */
export function resultBytes(text: string, max: number): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > max) throw resultTooLarge(max);
  return bytes;
}

/** Results between `head` and `tail`, with commas between them. */
export function listBytes(head: string, results: readonly Uint8Array[], tail: string): Uint8Array {
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
  const texts = results.map((result) => decoder.decode(result));
  return new TextEncoder().encode(`${head}${texts.join(',')}${tail}`);
}

/** A result of more than `max` bytes; rows do not stream from here. */
export function resultTooLarge(max: number): GatewayError {
  return new GatewayError(
    'RESULT_TOO_LARGE',
    `The result is larger than ${max} bytes; ask for fewer rows, or set config.transport to "relay" to receive rows as a stream`,
  );
}

/** What a vendor's protocol does not have. Contract §6, "Edge or relay". */
export function lacks(vendor: string, what: string, kind: string): GatewayError {
  return new GatewayError(
    'NOT_SUPPORTED',
    `${vendor} does not have ${what} over HTTP: set config.transport to "relay" to reach it as ${kind}`,
  );
}

/** The failure of a change that is done: `details` say so. Contract §2. */
export function applied(error: unknown, source: string): unknown {
  if (!(error instanceof GatewayError)) return error;
  const { code, message, details } = error;
  const [first] = details;
  const told = first && 'source' in first && 'code' in first ? first : undefined;
  const detail = {
    source,
    code: String(told?.code ?? code),
    message: String(told?.message ?? message),
    applied: true as const,
  };
  return new GatewayError(code, message, { cause: error, details: [detail] });
}
