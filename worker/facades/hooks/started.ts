/** Starts the run of a webhook or of a public start, and answers for it. Spec: workflows.md §5. */
import { GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { passedOn } from '../../../proto/written-json.ts';
import { CHAIN_HEADER, chainOf } from '../../calls/chain.ts';
import type { PublicContext } from '../../context.ts';
import { Accepted } from '../../outcome.ts';
import type { Reply } from '../../route.ts';
import { written } from '../../workflows/executions/show.ts';
import { invalid } from '../../workflows/executions/start.ts';
import type { RunRecord, ValueRecord } from '../../workflows/runs/head.ts';
import { runsObject } from '../../workflows/runs/reachable.ts';
import { type Fired, fire, type Occurrence } from '../../workflows/triggers/start.ts';
import { TOO_DEEP, tooDeep } from '../../workflows/triggers/too-deep.ts';
import { type Hook, nothingThere } from './find.ts';
import { noRoom } from './names.ts';

/** What came, as far as it is not its trigger's. */
type Came = Pick<Occurrence, 'id' | 'name' | 'told'> & {
  readonly root: Json;
  readonly request: Request;
};

/** @throws GatewayError BAD_REQUEST with every fault of filter, mapping and input, QUOTA_EXCEEDED, NOT_FOUND */
export async function started(
  ctx: PublicContext,
  { owner, workflow, trigger }: Hook,
  { request, ...came }: Came,
): Promise<{ readonly run: string; readonly reply: Reply }> {
  const { requestId, address } = ctx;
  const { index, type, synchronous } = trigger;
  const at = { env: ctx.env, later: (work: Promise<unknown>) => ctx.afterReply(work) };
  const chain = 1 + (await chainOf(ctx.settings, request.headers.get(CHAIN_HEADER)));
  const occurrence = { workflow, index, type, ...came, chain, requestId, address };
  const fired = await fire(at, owner, { ...occurrence, awaitsEnd: synchronous });
  if ('status' in fired) {
    const reply = synchronous ? await endOf(ctx, owner.orgUuid, fired) : again(fired.run);
    return { run: fired.run, reply };
  }
  if (fired.is === 'too-deep') {
    const deep = tooDeep({ workflow, index, receipt: came.id, chain });
    await ctx.env.ORGANIZATION_EVENTS.getByName(owner.orgUuid).append(owner, [deep]);
    throw new GatewayError('BAD_REQUEST', TOO_DEEP.message);
  }
  throw refusalOf(fired);
}

/** The reply to a delivery whose run there is. */
export function again(run: string): Accepted {
  return new Accepted({ run_id: run }, undefined, false);
}

function refusalOf(fired: Exclude<Fired, { is: 'started' | 'known' }>): GatewayError {
  if (fired.is === 'failed') return invalid(fired.faults);
  return fired.is === 'no-room' ? noRoom() : nothingThere();
}

/** How a run ended, without what only those see who have rights on it; it goes on where it has not. */
async function endOf(
  { env }: PublicContext,
  orgUuid: string,
  { is, run, status, record: text }: Extract<Fired, { is: 'started' | 'known' }>,
): Promise<Reply> {
  if (is === 'known') return again(run);
  if (text === undefined) return new Accepted({ run_id: run, status }, undefined, false);
  const { record } = JSON.parse(text) as { record: RunRecord }; // As the object wrote it.
  const told = async (kept: ValueRecord): Promise<Json> => {
    if ('text' in kept) return passedOn(kept.text);
    return passedOn((await runsObject(env, orgUuid, run).value(run, kept.ref)) ?? 'null');
  };
  const reply: JsonObject = { run_id: run, status: record.status };
  if (record.output) reply.output = await told(record.output);
  if (record.error) reply.error = { code: codeOf(await told(record.error)) };
  return written(reply);
}

function codeOf(error: Json): Json {
  return isJsonObject(error) ? (error.code ?? null) : null;
}
