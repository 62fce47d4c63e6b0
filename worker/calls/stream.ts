/** Rows as they arrive, one JSON a line, flat in memory. Contract §6, "Large results". */
import { errorBody } from '../../proto/errors.ts';
import type { Context } from '../context.ts';
import { type Deadline, startDeadline } from '../drivers/deadline.ts';
import { failureOf } from '../drivers/failure.ts';
import { begun, bodyOf, type Opened } from '../drivers/pieces.ts';
import { passedOn } from '../limits/heavy-work.ts';
import { Content, type Known } from '../outcome.ts';
import type { Backend } from './backend/backend.ts';
import { mustEnd, onStop, stopped } from './stop.ts';
import { countCall } from './usage/count.ts';

/** Media type of rows as lines. */
export const NDJSON = 'application/x-ndjson';

const encoder = new TextEncoder();

/**
 * The rows. A failure before the first row is thrown; one after it is the last line,
 * `{"$error": …}`. `timeoutMs` bounds the whole. The backend's work ends when the
 * client goes away.
 * @throws GatewayError what the call may end in
 */
export async function streamOf(
  ctx: Context,
  backend: Backend,
  timeoutMs: number,
  known: Known,
  run: (deadline: Deadline) => Promise<Opened>,
): Promise<Content> {
  known.timing = backend.timing;
  const deadline = startDeadline(ctx, timeoutMs, backend.keepsTime);
  try {
    const opened = await run(deadline);
    const rows = await begun(opened).catch((thrown: unknown) => {
      throw failureOf(thrown, { writes: backend.target.mode === 'write', signal: deadline.signal });
    });
    return new Content(NDJSON, bodyOf(rows, besideOf(ctx, backend, deadline)));
  } catch (thrown) {
    deadline.end();
    countCall(ctx, backend.target.endpoint, backend.target.mode, thrown);
    throw thrown;
  }
}

function besideOf(ctx: Context, { target: { endpoint, mode } }: Backend, deadline: Deadline) {
  const takeBack = onStop('at its end', deadline.abort);
  const end = (): void => {
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
    failed(thrown: unknown): Uint8Array {
      end();
      const told = failureOf(thrown, { writes: mode === 'write', signal: deadline.signal });
      const failure = mustEnd() && mode === 'read' ? stopped() : told;
      countCall(ctx, endpoint, mode, failure);
      const line = JSON.stringify({ $error: errorBody(failure, ctx.requestId) });
      return encoder.encode(`${line}\n`);
    },
  };
}
