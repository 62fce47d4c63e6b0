/**
 * Work on large JSON bodies off the thread that serves requests: on a self-hosted edge a process
 * of its own does it, which the binding `JSON_WORKER` reaches. What it makes of bytes is bytes, so
 * that their value never is in this isolate's memory. docs/heavy-work.md.
 */
import {
  type BodyWork,
  ENDED,
  JOB_HEADER,
  type Job,
  type Refusal,
  TOLD_HEADER,
} from '../../proto/body-work.ts';
import { GatewayError } from '../../proto/errors.ts';
import type { JsonObject } from '../../proto/json.ts';
import type { Ticket } from '../../proto/work/ticket.ts';
import type { Context } from '../context.ts';
import { keepingPlace, passed } from './heavy-work.ts';

/** Bytes of a reply that are asked for at once. */
const PART_BYTES = 64 * 1024;
/** Tries to have a body worked on, and milliseconds between them: a process that died is started again by the next one. */
const TRIES = 2;
const TRY_AGAIN_MS = 100;
/** Seconds after which a refused caller may try again. */
const RETRY_AFTER_S = 1;

/** What came of a body. */
export class Worked {
  /** What the edge needs to know of it besides the bytes. */
  readonly told: JsonObject;
  readonly #made: Uint8Array | GatewayError;

  constructor(told: JsonObject, made: Uint8Array | GatewayError) {
    this.told = told;
    this.#made = made;
  }

  /** The result. @throws GatewayError what the work failed with */
  bytes(): Uint8Array {
    if (this.#made instanceof GatewayError) throw this.#made;
    return this.#made;
  }
}

/** A body, what to do with it, and its place in the line of heavy work. */
interface Given {
  readonly work: BodyWork;
  readonly bytes: Uint8Array;
  readonly place: Ticket | undefined;
}

type Reply = Awaited<ReturnType<Fetcher['fetch']>>;

/**
 * Has a body worked on. Work whose client has gone is dropped.
 * @throws GatewayError what the body was refused with; SERVICE_UNAVAILABLE when the process has too much to do, ended during this work, or cannot be reached
 */
export async function workElsewhere(
  ctx: Context,
  worker: Fetcher,
  { work, bytes, place }: Given,
): Promise<Worked> {
  const { BODY_MAX_BYTES, RESULT_MAX_BYTES } = ctx.settings;
  const owner = ctx.caller.orgUuid;
  const job: Job = { owner, work, limits: { BODY_MAX_BYTES, RESULT_MAX_BYTES } };
  return keepingPlace(
    place,
    tried(ctx, () => worked(ctx, worker, job, bytes)),
  );
}

/** Done twice, it gives the same. */
async function tried(ctx: Context, work: () => Promise<Worked>): Promise<Worked> {
  for (let count = 1; ; count += 1) {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof GatewayError) throw cause;
      if (ctx.signal.aborted || count === TRIES) {
        const message = 'Large bodies cannot be worked on just now';
        throw new GatewayError('SERVICE_UNAVAILABLE', message, {
          cause,
          retryAfter: RETRY_AFTER_S,
        });
      }
      await scheduler.wait(TRY_AGAIN_MS);
    }
  }
}

async function worked(ctx: Context, worker: Fetcher, job: Job, body: Uint8Array): Promise<Worked> {
  const reply = await worker.fetch('http://json-worker.invalid/', {
    method: 'POST',
    headers: { [JOB_HEADER]: JSON.stringify(job) },
    body,
    signal: ctx.signal,
  });
  const bytes = await bytesOf(ctx, reply);
  const told = toldIn(reply);
  if (reply.status === ENDED.done) return new Worked(told, bytes);
  if (reply.status === ENDED.full) throw unavailable('Too much work on large bodies waits already');
  if (reply.status === ENDED.broken) {
    throw unavailable('The work on this body was ended: it took too much memory or time');
  }
  if (reply.status !== ENDED.refused) {
    const cause = new Error(`The JSON worker answered ${reply.status}`);
    throw new GatewayError('INTERNAL', 'Something went wrong', { cause });
  }
  // Written by the worker, of a failure of the one table.
  const { stage, code, message, details } = JSON.parse(new TextDecoder().decode(bytes)) as Refusal;
  const failure = new GatewayError(code, message, details ? { details } : {});
  if (stage === 'body') throw failure;
  return new Worked(told, failure);
}

/** Written by the worker, too. */
function toldIn({ headers }: Reply): JsonObject {
  return JSON.parse(decodeURIComponent(headers.get(TOLD_HEADER) ?? '{}')) as JsonObject;
}

/** The reply's bytes, taken in at the pace of all. */
async function bytesOf(ctx: Context, { body, headers }: Reply): Promise<Uint8Array> {
  const whole = new Uint8Array(Number(headers.get('Content-Length')));
  // What a socket brings is a stream of bytes.
  const reader = (body as ReadableStream | null)?.getReader({ mode: 'byob' });
  let at = 0;
  for (let part = new Uint8Array(PART_BYTES); reader; ) {
    const { done, value } = await reader.read(part);
    if (done) break;
    whole.set(value, at);
    at += value.byteLength;
    await passed(ctx, value.byteLength);
    part = new Uint8Array(value.buffer as ArrayBuffer);
  }
  if (at < whole.byteLength) throw new Error('The reply broke off');
  return whole;
}

function unavailable(message: string): GatewayError {
  return new GatewayError('SERVICE_UNAVAILABLE', message, { retryAfter: RETRY_AFTER_S });
}
