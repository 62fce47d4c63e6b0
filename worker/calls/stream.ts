/** Rows as they arrive, a JSON a line or as CSV, flat in memory. Contract §6, "Large results". */
import type { RowForm } from '../../proto/driver.ts';
import { ERRORS, errorBody, GatewayError } from '../../proto/errors.ts';
import type { Context } from '../context.ts';
import { type Deadline, startDeadline } from '../drivers/deadline.ts';
import { failureOf } from '../drivers/failure.ts';
import { begun, bodyOf } from '../drivers/pieces.ts';
import { passedOn } from '../limits/heavy-work.ts';
import { Content, type Known } from '../outcome.ts';
import type { Backend, RequestMessage } from './backend/backend.ts';
import { mustEnd, onStop, stopped } from './stop.ts';
import { countCall } from './usage/count.ts';

const NDJSON = 'application/x-ndjson';
/** Media types of rows as they arrive. RFC 4180 §3 says what CSV says about itself. */
const TYPES: Readonly<Record<RowForm, string>> = {
  lines: NDJSON,
  'told-lines': `${NDJSON};header=columns`,
  csv: 'text/csv; charset=utf-8; header=present',
};

/** Milliseconds between two looks at the rights of who is sent something. Spec silent. */
export const LOOK_MS = 15_000;

/** What is asked for. */
interface Streamed {
  /** Throws once its caller may have no more; left out, what was begun is sent to its end. */
  readonly still?: (() => Promise<unknown>) | undefined;
  readonly message: RequestMessage;
  readonly rows: RowForm;
  readonly timeoutMs: number;
}

const encoder = new TextEncoder();
const NEWLINE = 0x0a;

/**
 * The rows. A failure before the first row is thrown; one after it is the last line,
 * `{"$error": …}`, or breaks CSV off. `timeoutMs` bounds the whole. The backend's work ends when the
 * client goes away, and a read's once its caller may read no more.
 * @throws GatewayError what the call may end in
 */
export async function streamOf(
  ctx: Context,
  backend: Backend,
  { still, message, rows: form, timeoutMs }: Streamed,
  known: Known,
): Promise<Content> {
  known.timing = backend.timing;
  const deadline = startDeadline(ctx, timeoutMs, backend.keepsTime);
  try {
    const opened = await backend.stream(message, form, deadline);
    const rows = await begun(opened).catch((thrown: unknown) => {
      throw failureOf(thrown, { writes: backend.target.mode === 'write', signal: deadline.signal });
    });
    return new Content(
      TYPES[form],
      bodyOf(rows, besideOf(ctx, { backend, still, form, deadline })),
    );
  } catch (thrown) {
    deadline.end();
    countCall(ctx, backend.target.endpoint, backend.target.mode, thrown);
    throw thrown;
  }
}

/** A stream under way. */
interface OpenStream {
  readonly backend: Backend;
  readonly still: Streamed['still'];
  readonly form: RowForm;
  readonly deadline: Deadline;
}

function besideOf(ctx: Context, { backend: { target }, still, form, deadline }: OpenStream) {
  const { endpoint, mode } = target;
  const takeBack = onStop('at its end', deadline.abort);
  let refused: GatewayError | undefined;
  const lookAgain = (isStill: () => Promise<unknown>): void => {
    isStill().catch((thrown: unknown) => {
      if (!(thrown instanceof GatewayError) || ERRORS[thrown.code].status >= 500) return;
      refused ??= thrown;
      deadline.abort();
    });
  };
  const look = still ? setInterval(lookAgain, LOOK_MS, still) : null;
  // A client that does not read on keeps the stream open after its deadline.
  const stopLooking = () => clearInterval(look);
  deadline.signal.addEventListener('abort', stopLooking, { once: true });
  const end = (): void => {
    stopLooking();
    takeBack();
    deadline.end();
  };
  return {
    passed: (bytes: number) => passedOn(ctx, bytes),
    ended() {
      end();
      countCall(ctx, endpoint, mode);
    },
    cancelled() {
      deadline.abort();
      end();
      countCall(ctx, endpoint, mode);
    },
    failed(thrown: unknown, last: number | undefined): Uint8Array | Error {
      end();
      const told = failureOf(thrown, { writes: mode === 'write', signal: deadline.signal });
      const failure = refused ?? (mustEnd() && mode === 'read' ? stopped() : told);
      countCall(ctx, endpoint, mode, failure);
      // CSV has no place for an error: the connection breaks off. The runtime logs with what: no word of the database's.
      if (form === 'csv') return new Error(`Rows broke off: ${failure.code}`);
      const line = JSON.stringify({ $error: errorBody(failure, ctx.requestId) });
      // A very long line comes in pieces: it may have broken off.
      const isCut = last !== undefined && last !== NEWLINE;
      return encoder.encode(`${isCut ? '\n' : ''}${line}\n`);
    },
  };
}
