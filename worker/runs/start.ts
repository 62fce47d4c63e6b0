/** Starts asynchronous runs, and reports how they went. Contract §8. */

import { GatewayError } from '../../proto/errors.ts';
import { withoutToken } from '../access/api-keys/identity.ts';
import { readyToRun, type TemplateCall } from '../calls/template.ts';
import type { Context } from '../context.ts';
import { effectiveLevel, reaches } from '../levels.ts';
import { Accepted, JsonBytes, type Outcome, outcomeOf } from '../outcome.ts';
import { BASE_PATH, located } from '../public-url.ts';
import { isUuid } from '../shapes/ids.ts';
import { isoTime } from '../shapes/iso-time.ts';
import type { Template } from '../templates/access.ts';
import { KEPT_FOR_MS, type Order } from './run.ts';
import { endRun, insertRun, selectRun } from './store.ts';

/**
 * Answers at once; the run goes on by itself, with the caller's rights as they are when it begins.
 * @param preferred whether the caller's preference decided, which the reply says then
 */
export function startRun(
  ctx: Context,
  template: Template,
  call: TemplateCall,
  preferred: boolean,
): Promise<Outcome> {
  return outcomeOf(async (known) => {
    await readyToRun(ctx, template, call, known);
    const uuid = await started(ctx, template, call);
    const location = located(
      ctx.settings,
      `${BASE_PATH}/templates/${template.row.id}/runs/${uuid}`,
    );
    return new Accepted({ run_id: uuid, status: 'running', location }, location, preferred);
  });
}

/** Answers the run's UUID. */
async function started(ctx: Context, template: Template, call: TemplateCall): Promise<string> {
  const { caller, db } = ctx;
  const { orgUuid } = caller;
  const { row, policy } = template;
  const uuid = crypto.randomUUID();
  const inserted = await insertRun(db, {
    orgUuid,
    uuid,
    templateUuid: row.uuid,
    version: call.version ?? row.version,
    status: 'running',
    startedBy: caller.userUuid,
    startedAt: ctx.now(),
    endedAt: null,
  });
  if (inserted.length === 0) {
    throw new GatewayError('SERVICE_UNAVAILABLE', 'Too many runs are under way', { retryAfter: 1 });
  }
  const kept = { caller: caller.userUuid, quota: ctx.settings.QUOTAS.storage };
  const owner = { orgUuid, runUuid: uuid, sealedDataKey: policy.sealedDataKey, kept };
  const { requestId, address } = ctx;
  try {
    const order: Order = {
      caller: withoutToken(caller),
      template: row.uuid,
      ...asked(call),
      requestId,
      address,
    };
    const isTaken = await runObject(ctx, uuid).start(owner, JSON.stringify(order));
    if (!isTaken) throw storageUsedUp();
  } catch (cause) {
    ctx.afterReply(endRun(db, orgUuid, uuid, { status: 'failed', endedAt: ctx.now() }).execute());
    if (cause instanceof GatewayError) throw cause;
    throw new GatewayError('SERVICE_UNAVAILABLE', 'The run could not be started', {
      cause,
      retryAfter: 1,
    });
  }
  return uuid;
}

/** What a run is given: its input as the text that was sent. */
function asked({ written, ...call }: TemplateCall): Pick<Order, 'call' | 'text'> {
  if (written === undefined) return { call };
  return { call: { ...call, input: null }, text: new TextDecoder().decode(written) };
}

/**
 * How a run went: shown to the user who started it, and to Admins.
 * @throws GatewayError RUN_NOT_FOUND
 */
export async function getRun(
  ctx: Context,
  { row, policy }: Template,
  named: string,
): Promise<JsonBytes> {
  const { orgUuid, userUuid } = ctx.caller;
  const uuid = isUuid(named) ? named.toLowerCase() : '';
  const [run] = await selectRun(ctx.db, orgUuid, uuid);
  const isShown =
    run?.templateUuid === row.uuid &&
    (run.startedBy === userUuid || reaches(effectiveLevel(policy), 'Admin')) &&
    ctx.now() - (run.endedAt ?? ctx.now()) < KEPT_FOR_MS;
  if (!run || !isShown) throw runNotFound();
  const ended = run.endedAt === null ? {} : { ended: isoTime(run.endedAt) };
  const record = { run_id: uuid, status: run.status, started: isoTime(run.startedAt), ...ended };
  const head = JSON.stringify(record).slice(0, -1);
  if (run.status === 'running') return new JsonBytes(encoder.encode(`${head}}`));
  const outcome = await runObject(ctx, uuid).outcome();
  if (!outcome) throw runNotFound();
  const member = outcome.member ?? (run.status === 'succeeded' ? 'output' : 'error');
  return new JsonBytes(await new Blob([`${head},"${member}":`, outcome.text, '}']).bytes());
}

const encoder = new TextEncoder();

/** The name begins with the organization: no other organization's run is ever found. */
function runObject({ env, caller }: Context, uuid: string) {
  return env.TEMPLATE_RUNS.getByName(`${caller.orgUuid}:${uuid}`);
}

function storageUsedUp(): GatewayError {
  return new GatewayError(
    'QUOTA_EXCEEDED',
    'What is kept of your runs and replies has used up its storage: wait, or run it without async',
  );
}

function runNotFound(): GatewayError {
  return new GatewayError(
    'RUN_NOT_FOUND',
    'There is no such run: it may have ended more than 24 hours ago',
  );
}
