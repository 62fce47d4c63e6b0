/** Maps what an index answers to the gateway's failures. Contract §2. */
import type { Mode } from '../../proto/driver.ts';
import { type BackendDetail, GatewayError, refusedByBackend } from '../../proto/errors.ts';
import { isJsonObject, type Json } from '../../proto/json.ts';

/** Most of an index's message that is told, in characters. */
const MESSAGE_MAX = 4_000;
/** Seconds for `Retry-After` where the index names none. */
const RETRY_S = 1;

/** A reply that is no success. */
interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
}

/** The error that a caller gets for a reply that is not a success. `mode` is what the request does, not where it was sent. */
export function fromRefusal(refusal: Refusal, mode: Mode): GatewayError {
  const { status } = refusal;
  const cause = new Error(`status ${status}: ${refusal.text.slice(0, MESSAGE_MAX)}`);
  if (status === 401 || status === 403) {
    return new GatewayError('CONNECTION_FAILED', 'The API key was refused', { cause });
  }
  if (status < 400) return noIndex(cause);
  const detail = detailOf(refusal);
  const details = [detail];
  if (status === 429) {
    const message = 'The index takes no more requests for the moment';
    return new GatewayError('SERVICE_UNAVAILABLE', message, {
      cause,
      details,
      retryAfter: secondsOf(refusal.retryAfter),
    });
  }
  if (status < 500) return refusedByBackend('REQUEST_FAILED', detail, { cause });
  if (mode === 'write') {
    const message = 'The index failed after the write was sent';
    return new GatewayError('OUTCOME_UNKNOWN', message, { cause, details });
  }
  if (status === 503) {
    return new GatewayError('SERVICE_UNAVAILABLE', 'The index is not available', {
      cause,
      retryAfter: secondsOf(refusal.retryAfter),
    });
  }
  return new GatewayError('CONNECTION_FAILED', 'The index failed', { cause });
}

/** What answers is something else than an index. */
export function noIndex(cause: unknown): GatewayError {
  const message = 'The server did not answer as an index of Pinecone does';
  return new GatewayError('CONNECTION_FAILED', message, { cause });
}

/** The index's own code and words; the status where it gives no code. */
function detailOf({ status, text }: Refusal): BackendDetail {
  const told = errorIn(text);
  return {
    source: 'pinecone',
    code: told.code ?? String(status),
    message: withoutAddresses(told.message ?? `HTTP status ${status}`),
  };
}

/**
 * `{code, message}` of vectors, `{status, error: {code, message}}` of the other interfaces, or plain text.
 * Source: docs.pinecone.io, "Data plane", `rpcStatus` and `ErrorResponse`.
 */
function errorIn(text: string): { code?: string; message?: string } {
  let parsed: Json;
  try {
    parsed = JSON.parse(text) as Json; // JSON.parse yields nothing else.
  } catch {
    // A page of a proxy says nothing that would help.
    return /^\s*<|^\s*$/.test(text) ? {} : { message: text.trim() };
  }
  if (typeof parsed === 'string') return { message: parsed };
  const error = isJsonObject(parsed) && isJsonObject(parsed.error) ? parsed.error : parsed;
  if (!isJsonObject(error)) return {};
  const { code, message } = error;
  return {
    ...(typeof code === 'number' || typeof code === 'string' ? { code: String(code) } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  };
}

const ADDRESSES = [
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s'")]+/gi,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g,
  /\[[0-9a-f:.]*:[0-9a-f:.]*\](?::\d{1,5})?/gi,
  /\b[\w-]+(?:\.[\w-]+)*\.pinecone\.io(?::\d{1,5})?\b/gi,
  /\b(?:localhost|[\w-]+(?:\.[\w-]+)*\.[a-z][\w-]*):\d{1,5}\b/gi,
];

function withoutAddresses(message: string): string {
  const told = message.slice(0, MESSAGE_MAX);
  return ADDRESSES.reduce((text, address) => text.replace(address, 'address'), told);
}

/** `Retry-After` in seconds; a date is not waited for. RFC 9110 §10.2.3. */
function secondsOf(retryAfter: string | undefined): number {
  return retryAfter !== undefined && /^\d{1,4}$/.test(retryAfter) ? Number(retryAfter) : RETRY_S;
}
