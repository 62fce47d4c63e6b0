/** Dead letters of a workflow: lists and redrives them. Spec: workflows.md §4 `deadLetterQueue`, §6. */
import { GatewayError } from '../../../proto/errors.ts';
import { type Json, type JsonObject, parseJson } from '../../../proto/json.ts';
import { withMoved } from '../../../proto/ordered-json.ts';
import { writtenText } from '../../../proto/written-json.ts';
import type { Demand } from '../../access/demand.ts';
import type { Context } from '../../context.ts';
import type { WorkflowDeadLetterRow } from '../../db/workflows.ts';
import type { Accepted, JsonBytes } from '../../outcome.ts';
import { unseal } from '../../secrets/seal.ts';
import { listContext } from '../../shapes/cursor.ts';
import { isUuid } from '../../shapes/ids.ts';
import { isoTime } from '../../shapes/iso-time.ts';
import type { Workflow } from '../access.ts';
import { letterSealing } from '../runs/ended.ts';
import { afterOf, cursorAfter } from './list.ts';
import type { LettersQuery, RedriveManyBody } from './schema.ts';
import { findRun, ownerOf, RECORD_MAX, Teller, written } from './show.ts';
import { type Sight, sightOf } from './sight.ts';
import { eachOf, MANY_MAX, retryRun } from './steer.ts';
import { redriveLetter, restoreLetter, selectLetter, selectLetters } from './store.ts';

/** Characters of letters after which a page ends. */
const PAGE_MAX = 8 * 1024 * 1024;

/** The newest first. @throws GatewayError BAD_REQUEST for a cursor that is not of this list */
export async function listLetters(
  ctx: Context,
  workflow: Workflow,
  { limit, cursor, ...filter }: LettersQuery,
): Promise<JsonBytes> {
  const { row, policy } = workflow;
  const context = listContext(ctx, policy.sealedDataKey, `dead-letters:${row.uuid}`);
  const part = { after: await afterOf(context, cursor), limit: limit + 1 };
  const { orgUuid } = ctx.caller;
  const rows = await selectLetters(ctx.db, orgUuid, row.uuid, filter, part, ctx.now());
  const letters: JsonObject[] = [];
  let size = 0;
  // One after the other, and no more of them than one reply may hold: each may bring megabytes of values.
  for (const each of rows.slice(0, limit)) {
    const letter = await letterFor(ctx, workflow, each);
    letters.push(letter);
    size += writtenText(letter).length;
    if (size > PAGE_MAX) break;
  }
  const last = rows.length > letters.length ? rows[letters.length - 1] : undefined;
  return written({
    dead_letters: withMoved(letters),
    ...(last && {
      next_cursor: await cursorAfter(context, { time: last.createdAt, uuid: last.uuid }),
    }),
  });
}

async function letterFor(
  ctx: Context,
  workflow: Workflow,
  letter: WorkflowDeadLetterRow,
): Promise<JsonObject> {
  const { uuid, runUuid, version, failedAction, createdAt, expiresAt, redrivenAt } = letter;
  const sealing = letterSealing(ctx.settings, ownerOf(ctx, workflow.policy), uuid);
  const error = parseJson(await unseal(sealing, letter.sealedError)) as JsonObject; // As it was sealed.
  const state = await stateOf(ctx, workflow, letter);
  return withMoved({
    id: uuid,
    run_id: runUuid,
    workflow: workflow.row.id,
    version,
    error: state.sight !== 'none' ? error : { code: error.code ?? 'INTERNAL' },
    ...(failedAction === null ? {} : { failed_action: failedAction }),
    created: isoTime(createdAt),
    expires: isoTime(expiresAt),
    ...(redrivenAt === null ? {} : { redriven: isoTime(redrivenAt) }),
    ...(state.state === undefined ? {} : { state: state.state }),
  });
}

/** Input and outputs of the run as it failed, for callers who may see them: what a retry has done since is not told. */
async function stateOf(
  ctx: Context,
  workflow: Workflow,
  { runUuid, createdAt }: WorkflowDeadLetterRow,
): Promise<{ readonly sight: Sight; readonly state?: JsonObject }> {
  const found = await findRun(ctx, workflow, runUuid).catch((thrown: unknown) => {
    if (thrown instanceof GatewayError && thrown.code === 'RUN_NOT_FOUND') return undefined;
    throw thrown;
  });
  if (!found) return { sight: 'none' };
  const { record, actions, hasMore } = found;
  const sight = await sightOf(ctx, workflow, record);
  if (sight !== 'all' || !record.keepsState) return { sight };
  const teller = new Teller(workflow.row.id, record.id, sight);
  const outputs = actions.flatMap(({ path, output, ended = Number.POSITIVE_INFINITY }) =>
    output === undefined || ended > createdAt ? [] : [[path, teller.value(output)] as const],
  );
  return {
    sight,
    state: withMoved({
      input: teller.value(record.input),
      outputs: withMoved(Object.fromEntries(outputs)),
      ...(hasMore || actions.length > RECORD_MAX ? { more: true } : {}),
    }),
  };
}

/**
 * @param demands gets what is demanded of the caller
 * @throws GatewayError DEAD_LETTER_NOT_FOUND, DEAD_LETTER_SPENT, RUN_CONFLICT, FORBIDDEN
 */
export async function redrive(
  ctx: Context,
  workflow: Workflow,
  named: string,
  demands: Demand[],
): Promise<Accepted> {
  const { orgUuid } = ctx.caller;
  const uuid = isUuid(named) ? named.toLowerCase() : '';
  const [letter] = await selectLetter(ctx.db, orgUuid, workflow.row.uuid, uuid);
  if (!letter) {
    throw new GatewayError('DEAD_LETTER_NOT_FOUND', `Dead letter ${named} does not exist`);
  }
  const taken = await redriveLetter(ctx.db, orgUuid, uuid, ctx.now());
  if (taken.length === 0) throw spent(letter);
  try {
    return await retryRun(ctx, workflow, letter.runUuid, demands, 'dead_letter.redrive');
  } catch (thrown) {
    await restoreLetter(ctx.db, orgUuid, uuid);
    throw thrown;
  }
}

function spent({ retryable, redrivenAt }: WorkflowDeadLetterRow): GatewayError {
  const why = !retryable
    ? 'The workflow does not let its dead letters be redriven'
    : redrivenAt === null
      ? 'The dead letter has expired'
      : 'The dead letter was redriven already';
  return new GatewayError('DEAD_LETTER_SPENT', why);
}

/** Redrives dead letters by their ids, or those that a filter finds. */
export async function redriveMany(
  ctx: Context,
  workflow: Workflow,
  body: RedriveManyBody,
  demands: Demand[],
): Promise<Json> {
  const { orgUuid } = ctx.caller;
  const part = { after: undefined, limit: MANY_MAX };
  const ids =
    'ids' in body
      ? body.ids
      : (await selectLetters(ctx.db, orgUuid, workflow.row.uuid, body.filter, part, ctx.now()))
          .filter(({ redrivenAt, retryable }) => redrivenAt === null && retryable)
          .map(({ uuid }) => uuid);
  return eachOf([...new Set(ids)], (id) => redrive(ctx, workflow, id, demands));
}
