/** The end of a transaction that its client has gone on with. Spec: transactions.md §5. */
import type { JsonObject } from '../../../proto/json.ts';
import type { Policy } from '../../access/policy.ts';
import type { Context } from '../../context.ts';
import { startDeadline } from '../../drivers/deadline.ts';
import type { Endpoint } from '../../endpoints/access.ts';
import { demandAgain } from '../../idempotency/again.ts';
import { type Outcome, outcomeOf } from '../../outcome.ts';
import { backendOf } from '../backend/choose.ts';
import { RelayBackend } from '../backend/relay.ts';
import { Shares } from '../backend/shares.ts';
import { formOf } from '../request.ts';
import { type Committed, carryOut } from './end.ts';
import { closedBy } from './interactive.ts';
import { askLog } from './log.ts';
import type { Participant } from './participants.ts';
import { transactionNotFound } from './refusals.ts';
import type { Closed, Closing, OpenShare } from './taking-part.ts';
import { Work } from './work.ts';

/** What the end of a transaction found. @throws GatewayError TRANSACTION_NOT_FOUND, TRANSACTION_CLOSED */
async function closeInteractive(
  ctx: Context,
  id: string,
  outcome: 'commit' | 'roll back',
): Promise<Exclude<Closing, Closed>> {
  const caller = ctx.caller.userUuid;
  const closing = await askLog<Closing>(ctx, async (log) => log.close(id, caller, outcome), 1);
  if (closing.is === 'done' || closing.is === 'closing') return closing;
  throw closedBy(id, closing);
}

/** Commits a transaction: as `transactOver`, without results; repeated, it answers as the first did. */
export function commitInteractive(ctx: Context, policy: Policy, id: string): Promise<Outcome> {
  return outcomeOf(async (known) => {
    const closing = await closeInteractive(ctx, id, 'commit');
    if (closing.is === 'done') return summaryOf(closing.shown);
    const { log, shares, leftMs } = closing;
    const deadline = startDeadline(ctx, leftMs);
    try {
      const all = await Promise.all(shares.map((share) => participantOf(ctx, policy, share)));
      const deciders = all.filter(({ part, n }) => part === 'decides' && !onlyReads(shares, n));
      const guarantee = deciders.length > 0 && all.length > 1 ? 'last-resource' : 'atomic';
      const { sealedDataKey } = policy;
      const common = { ctx, id, sealedDataKey, isKeyed: false, known, deadline };
      const form = formOf({});
      const work = new Work(ctx, { log, id, participants: all, isolation: undefined, form });
      const prepare = async () => {
        for (const { n, held } of shares) {
          const participant = all.find((each) => each.n === n);
          if (participant) await work.resume(participant, held);
        }
        // What the caller may not do any more is not kept, although it was allowed when it ran.
        await demandAgain(
          ctx,
          shares.flatMap(({ held }) => held.demands ?? []),
          [],
        );
        await work.prepareOpen(deadline);
      };
      return summaryOf(await carryOut({ ...common, all, guarantee }, log, work, prepare));
    } finally {
      deadline.end();
    }
  });
}

/** Rolls a transaction back. */
export async function rollBackInteractive(ctx: Context, id: string): Promise<JsonObject> {
  const closing = await closeInteractive(ctx, id, 'roll back');
  if (closing.is !== 'done') throw transactionNotFound(id);
  return { transaction_id: id, status: closing.shown.status };
}

function summaryOf({ id, sequence, guarantee, status }: Committed): JsonObject {
  return { transaction_id: id, sequence, guarantee, status };
}

function onlyReads(shares: readonly OpenShare[], n: number): boolean {
  return shares.find((each) => each.n === n)?.held.onlyRead === true;
}

/** A participant as it was when it began. */
async function participantOf(
  ctx: Context,
  policy: Policy,
  { n, endpoint: uuid, part, snapshot }: OpenShare,
): Promise<Participant> {
  const found = JSON.parse(snapshot) as Omit<Endpoint, 'policy'>; // As `shareOf` wrote it.
  const endpoint = { ...found, policy: { ...policy, on: { kind: 'endpoint' as const, uuid } } };
  const backend = await backendOf(ctx, endpoint, 'write');
  const shares = backend instanceof RelayBackend ? new Shares(backend) : undefined;
  const fixed = { way: 'joins', operations: [], writes: true } as const;
  return { ...fixed, n, endpoint, backend, shares, part };
}
