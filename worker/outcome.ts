/** How a call ends: its result or its failure, and what else is known of it by then. */
import type { RowForm } from '../proto/driver.ts';
import { GatewayError } from '../proto/errors.ts';
import { GatheredBytes } from '../proto/gathered-bytes.ts';
import type { Json } from '../proto/json.ts';
import type { Demand } from './access/demand.ts';
import { storageFault } from './db/fault.ts';
import { foreignFormat } from './db/kept-format.ts';

/** Seconds after which there may be room on the disk again. Spec silent. */
const STORAGE_RETRY_S = 5;

/** Bytes, whole or as they arrive. */
export type Bytes = Uint8Array | ReadableStream<Uint8Array>;

/** JSON text in UTF-8 that is passed on unread. */
export class JsonBytes {
  readonly bytes: Bytes;

  constructor(bytes: Bytes) {
    this.bytes = bytes;
  }
}

/** A resource with its tag, which changes with every revision. */
export class Tagged {
  readonly tag: string;
  readonly value: Json | JsonBytes;

  constructor(tag: string, value: Json | JsonBytes) {
    this.tag = tag;
    this.value = value;
  }
}

/** Bytes of a form of their own: rows as lines, events, another product's replies. */
export class Content {
  readonly type: string;
  readonly bytes: Bytes;

  /** @param type media type */
  constructor(type: string, bytes: Bytes) {
    this.type = type;
    this.bytes = bytes;
  }
}

/** Work that goes on after its reply. */
export class Accepted {
  readonly value: Json | JsonBytes;
  readonly location: string | undefined;
  readonly preferred: boolean;

  /** @param location where its end can be read; undefined where the caller may not @param preferred whether the caller's preference decided */
  constructor(value: Json | JsonBytes, location: string | undefined, preferred: boolean) {
    this.value = value;
    this.location = location;
    this.preferred = preferred;
  }
}

/** The connection is a WebSocket from now on. */
export class Upgraded {
  readonly webSocket: WebSocket;
  readonly protocol: string;

  /** @param protocol of those that the client named */
  constructor(webSocket: WebSocket, protocol: string) {
    this.webSocket = webSocket;
    this.protocol = protocol;
  }
}

/** What a call answers. */
export type Result = Json | JsonBytes | Tagged | Content | Accepted | Upgraded;

/** Whether a result is a value that is not written yet. */
export function isJson(result: Result): result is Json {
  const isWritten = result instanceof JsonBytes || result instanceof Content;
  const isPlain = !(result instanceof Tagged || result instanceof Accepted);
  return isPlain && !isWritten && !(result instanceof Upgraded);
}

/** What a caller may take instead of one JSON text: rows as they arrive, or events. */
export type StreamForm = RowForm | 'events';

/** What was measured of a call, in milliseconds. */
export type Timing = Partial<Record<'authorize' | 'node' | 'backend', number>>;

/** What is known of a call besides its result; filled while it runs. */
export interface Known {
  /** Levels that it needed, in the order in which they were demanded. */
  readonly demands: Demand[];
  /** Whether something that it sent to a backend took effect, or may have. */
  written: boolean;
  timing: Timing;
}

/** How a call ended. */
export class Outcome implements Readonly<Known> {
  readonly result: Result | GatewayError;
  readonly demands: Demand[];
  readonly written: boolean;
  readonly timing: Timing;
  /** Of a repeated call that was not run again: the id of the request that ran. */
  readonly replayOf: string | undefined;

  constructor(result: Result | GatewayError, known: Partial<Known> = {}, replayOf?: string) {
    this.result = result;
    this.demands = known.demands ?? [];
    this.written = known.written ?? false;
    this.timing = known.timing ?? {};
    this.replayOf = replayOf;
  }

  /** The same end with another result. */
  with(result: Result | GatewayError): Outcome {
    return new Outcome(result, this, this.replayOf);
  }
}

/** Does the work of a call: its outcome is what the work answers, or throws. A part's outcome is the whole's. */
export async function outcomeOf(
  work: (known: Known) => Promise<Result | GatewayError | Outcome>,
): Promise<Outcome> {
  const known: Known = { demands: [], written: false, timing: {} };
  const ended = await work(known).catch((thrown: unknown) => failureOf(thrown, known.written));
  return ended instanceof Outcome
    ? new Outcome(resultOf(known, ended), known, ended.replayOf)
    : new Outcome(ended, known);
}

/** Adds what is known of a part to what is known of the whole; answers the part's result. */
export function resultOf(whole: Known, part: Outcome): Result | GatewayError {
  whole.demands.push(...part.demands);
  whole.written ||= part.written;
  whole.timing = { ...whole.timing, ...part.timing };
  return part.result;
}

/**
 * Whatever was thrown as the failure it stands for: what is unforeseen is INTERNAL, without its text.
 * @param written whether the call has changed a backend by then
 */
export function failureOf(thrown: unknown, written = false): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (storageFault(thrown) !== undefined) return storageFailed(thrown, written);
  const foreign = foreignFormat(thrown);
  if (foreign) return new GatewayError('SERVICE_UNAVAILABLE', foreign, { cause: thrown });
  return new GatewayError('INTERNAL', 'Something went wrong', { cause: thrown });
}

/** A write that has happened must not be sent again. */
function storageFailed(cause: unknown, written: boolean): GatewayError {
  if (written) {
    const message = 'The request has changed the backend, and then the gateway could not go on';
    return new GatewayError('OUTCOME_UNKNOWN', message, { cause });
  }
  const message = "The gateway's storage cannot be used at the moment; nothing was changed";
  const retryAfter = STORAGE_RETRY_S;
  return new GatewayError('SERVICE_UNAVAILABLE', message, { cause, retryAfter });
}

/** All bytes as one. */
export async function gathered(bytes: Bytes): Promise<Uint8Array> {
  if (bytes instanceof Uint8Array) return bytes;
  const whole = new GatheredBytes();
  for await (const piece of bytes) whole.add(piece);
  return whole.take();
}
