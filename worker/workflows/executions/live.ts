/** Live events of a run: what changes of it as it changes, as server-sent events. Spec: workflows.md §6. */
import { GatewayError } from '../../../proto/errors.ts';
import { writtenText } from '../../../proto/written-json.ts';
import { EVENT_STREAM } from '../../calls/events.ts';
import type { Context } from '../../context.ts';
import { inRecordTurn } from '../../limits/record-turns.ts';
import { Content } from '../../outcome.ts';
import type { Workflow } from '../access.ts';
import { runsObject } from '../runs/reachable.ts';
import { findRun, hidden, type Shown, Teller } from './show.ts';
import { readsAll } from './sight.ts';

/** Milliseconds without a change after which a comment keeps the connection open. */
const WAIT_MS = 15_000;
const ENDED = new Set(['succeeded', 'failed', 'cancelled']);
/** Runs that an organization watches at a time, of one isolate. Spec silent. */
const WATCHED_MAX = 100;
const encoder = new TextEncoder();
/** By the UUID of the organization. */
const watched = new Map<string, number>();

/** One more is watched, until what is answered is called. @throws GatewayError RATE_LIMITED */
function enter(orgUuid: string): () => void {
  const others = watched.get(orgUuid) ?? 0;
  if (others >= WATCHED_MAX) {
    const message = `The organization watches ${WATCHED_MAX} runs: end one of these streams first`;
    throw new GatewayError('RATE_LIMITED', message, { retryAfter: 1 });
  }
  watched.set(orgUuid, others + 1);
  let isIn = true;
  return () => {
    const left = (watched.get(orgUuid) ?? 1) - (isIn ? 1 : 0);
    isIn = false;
    if (left > 0) watched.set(orgUuid, left);
    else watched.delete(orgUuid);
  };
}

/**
 * Events `run` and `action`, with data as in the record; it ends with the run.
 * @param after id of the last event that the client has
 * @throws GatewayError RUN_NOT_FOUND, RATE_LIMITED, FORBIDDEN for a caller who may not see values
 */
export async function liveEvents(
  ctx: Context,
  workflow: Workflow,
  named: string,
  after: number,
): Promise<Content> {
  const { record } = await findRun(ctx, workflow, named, { limit: 0 });
  if (!(await readsAll(ctx, workflow, record))) throw hidden();
  const { orgUuid } = ctx.caller;
  const leave = enter(orgUuid);
  ctx.signal.addEventListener('abort', leave);
  const object = runsObject(ctx.env, orgUuid, record.id);
  const teller = new Teller(workflow.row.id, record.id, 'all');
  let last = after;
  const next = async () => {
    await object.news(record.id, last, WAIT_MS);
    if (ctx.signal.aborted) return undefined;
    return inRecordTurn(ctx, {
      work: () => object.changes(record.id, last),
      bytesOf: (changes) => changes?.length ?? 0,
      isBegun: true,
    });
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const end = () => {
      leave();
      controller.close();
    };
    try {
      const text = ctx.signal.aborted ? undefined : await next();
      if (text === undefined) return end();
      const shown = JSON.parse(text) as Shown; // As the object wrote it.
      // It may have reached meanwhile what the reader may not read.
      if (!(await readsAll(ctx, workflow, shown.record))) return end();
      const { written, upTo, isOver } = eventsOf(teller, shown, last);
      last = upTo;
      controller.enqueue(encoder.encode(written === '' ? ':\n\n' : written));
      if (isOver) end();
    } catch (thrown) {
      leave();
      throw thrown;
    }
  };
  // Nothing is made ready for who does not read.
  const body = new ReadableStream<Uint8Array>({ pull, cancel: leave }, { highWaterMark: 0 });
  return new Content(EVENT_STREAM, body);
}

/** Actions in the order of their changes, then the run. */
function eventsOf(teller: Teller, { record, actions }: Shown, last: number) {
  const told = actions.map(
    (action) => `event: action\nid: ${action.seq}\ndata: ${writtenText(teller.action(action))}\n\n`,
  );
  const newest = actions.at(-1)?.seq ?? last;
  // With more changes than one read gives, the run comes after the last of them.
  const isWhole = newest + 1 >= record.seq || actions.length === 0;
  if (isWhole && record.seq > last) {
    told.push(`event: run\nid: ${record.seq}\ndata: ${writtenText(teller.run(record))}\n\n`);
  }
  return {
    written: told.join(''),
    upTo: isWhole ? Math.max(record.seq, last) : newest,
    isOver: isWhole && ENDED.has(record.status),
  };
}
