/** Runs a transaction over many endpoints: all take effect together, or none does. Spec: transactions.md §1 to §4. */
import { GatewayError } from '../../../proto/errors.ts';
import { whoCalled } from '../../access/door/door.ts';
import { policyOn } from '../../access/policy.ts';
import type { Context } from '../../context.ts';
import { startDeadline } from '../../drivers/deadline.ts';
import { JsonBytes, Outcome, outcomeOf } from '../../outcome.ts';
import { digestOf } from '../../secrets/digest.ts';
import { unsealBytes } from '../../secrets/seal.ts';
import type { Form } from '../backend/backend.ts';
import { timeoutOf } from '../read-transaction.ts';
import type { TransactionsBody } from './body.ts';
import { type Committed, carryOut, keptOf, type Ready } from './end.ts';
import { askLog, askLogWith, ownerOf, sealingOf } from './log.ts';
import { randomName } from './names.ts';
import type { Begun, NewTransaction } from './object.ts';
import { participantsOf, shareOf } from './participants.ts';
import { readOperations } from './plan.ts';
import { refusalOf } from './refusals.ts';
import { Work } from './work.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What a transaction brings besides its body. */
interface TransactionsOptions {
  readonly form: Form;
  /** The body as it was sent; left out where it was no text. */
  readonly bytes?: Uint8Array | undefined;
  /** An `Idempotency-Key` with what it is for. */
  readonly key?: { readonly key: string; readonly target: readonly string[] } | undefined;
}

/** `{transaction_id, sequence, guarantee, status, results}`. */
export function transactOver(
  ctx: Context,
  body: TransactionsBody,
  { form, bytes, key }: TransactionsOptions,
): Promise<Outcome> {
  return outcomeOf(async (known) => {
    const operations = await readOperations(ctx, { ...body, bytes }, known.demands);
    const timeoutMs = body.timeout_ms ?? timeoutOf(operations.map(({ request }) => request));
    const deadline = startDeadline(ctx, timeoutMs);
    try {
      const found = await participantsOf(ctx, operations, body, deadline);
      const { sealedDataKey } = await policyOn(ctx);
      const common = { ctx, id: randomName(), sealedDataKey, known, deadline };
      const ready: Ready = { ...found, ...common, isKeyed: key !== undefined };
      const announced = announcementOf(ready, body, deadline.remaining());
      const digests = key && (await digestsOf(ctx, key, bytes));
      const begun = await begin(ready, { ...announced, key: digests });
      if (begun.is !== 'begun') return await answered(ready, begun);
      const { isolation } = body;
      const running = { log: begun.log, id: ready.id, participants: found.all, isolation, form };
      const work = new Work(ctx, running);
      const prepare = () => work.prepareAll(deadline);
      return replyOf(await carryOut(ready, begun.log, work, prepare), work.results());
    } finally {
      deadline.end();
    }
  });
}

function announcementOf(
  { ctx, id, all, guarantee }: Ready,
  { keys, isolation }: TransactionsBody,
  timeoutMs: number,
): NewTransaction {
  const { requestId, address } = ctx;
  const caller = whoCalled(ctx);
  const isStrict = isolation !== undefined && isolation !== 'read committed';
  // Reads conflict with nothing at the weakest level. Spec: transactions.md §4.
  const endpoints = all.filter(({ writes }) => writes || isStrict);
  return {
    ...{ id, requestId, address, guarantee, timeoutMs, shares: all.map(shareOf) },
    caller: { uuid: caller.userUuid, name: caller.userId },
    claims: {
      endpoints: endpoints.map(({ endpoint }) => endpoint.row.uuid),
      ...(keys ? { keys } : {}),
    },
  };
}

async function digestsOf(
  { caller }: Context,
  { key, target }: NonNullable<TransactionsOptions['key']>,
  bytes: Uint8Array = new Uint8Array(),
) {
  const name = encoder.encode(JSON.stringify([caller.userUuid, ...target, key]));
  return { name: await digestOf(name), body: await digestOf(bytes) };
}

async function begin(ready: Ready, announced: NewTransaction): Promise<Begun> {
  const { ctx, sealedDataKey } = ready;
  const leave = () => {
    const failure = keptOf(new GatewayError('TIMED_OUT', 'Its caller has gone'));
    ctx.afterReply(askLog(ctx, (log) => log.fail(announced.id, failure, [])));
  };
  ctx.signal.addEventListener('abort', leave);
  try {
    // Asked once: a second time it would meet itself.
    return await askLogWith<Begun>(
      ctx,
      async (log, confirmed) => log.begin(ownerOf(ctx, sealedDataKey), announced, confirmed),
      1,
    );
  } finally {
    ctx.signal.removeEventListener('abort', leave);
  }
}

/** What a transaction that did not begin is answered. @throws GatewayError why it did not */
async function answered(ready: Ready, begun: Exclude<Begun, { is: 'begun' }>): Promise<Outcome> {
  if (begun.is === 'failed') return new Outcome(refusalOf(begun), {}, begun.requestId);
  if (begun.is !== 'answered') throw refusalOf(begun);
  const { shown, reply } = begun;
  if (!reply) {
    const message = `The transaction ${shown.id} has committed, and its results were not kept: they are larger than 1 MiB, or there was no storage left for them`;
    throw new GatewayError('REPLY_NOT_KEPT', message);
  }
  const { ctx, sealedDataKey, known } = ready;
  const sealing = sealingOf(ctx, sealedDataKey, shown.id);
  const results = decoder.decode(await unsealBytes(sealing, new Uint8Array(reply)));
  return new Outcome(replyOf(shown, results), known, shown.requestId);
}

function replyOf({ id, sequence, guarantee, status }: Committed, results: string): JsonBytes {
  const head = JSON.stringify({ transaction_id: id, sequence, guarantee, status });
  return new JsonBytes(encoder.encode(`${head.slice(0, -1)},"results":${results}}`));
}
