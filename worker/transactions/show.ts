/** Shows transactions, and records how people found participants in doubt. Spec: transactions.md §5. */
import type { ErrorDetails } from '../../proto/errors.ts';
import { ERRORS } from '../../proto/errors.ts';
import type { Json, JsonObject } from '../../proto/json.ts';
import { demand, type Rights } from '../access/access.ts';
import type { Policy } from '../access/policy.ts';
import { askLog } from '../calls/transactions/log.ts';
import type { Shown } from '../calls/transactions/object.ts';
import { transactionClosed, transactionNotFound } from '../calls/transactions/refusals.ts';
import type { Context } from '../context.ts';
import { effectiveLevel, reaches } from '../levels.ts';
import { listContext, readCursor, writeCursor } from '../shapes/cursor.ts';
import { isoTime } from '../shapes/iso-time.ts';
import type { ResolveBody, TransactionsQuery } from './schema.ts';

/** One transaction, for who sent it and for Admin. @throws GatewayError TRANSACTION_NOT_FOUND */
export async function showTransaction(ctx: Context, policy: Policy, id: string): Promise<Json> {
  return recordOf(await findShown(ctx, policy, id));
}

/** @throws GatewayError TRANSACTION_NOT_FOUND for another's, too */
async function findShown(ctx: Context, policy: Policy, id: string): Promise<Shown> {
  const shown = await askLog<Shown | undefined>(ctx, async (log) => log.show(id));
  const isSeen = shown?.caller === ctx.caller.userUuid || isAdmin(policy);
  if (!shown || !isSeen) throw transactionNotFound(id);
  return shown;
}

function isAdmin(policy: Policy): boolean {
  return reaches(effectiveLevel(policy), 'Admin');
}

/** The newest first: all for Admin, their own for others. */
export async function listTransactions(
  ctx: Context,
  policy: Policy,
  { status, limit, cursor }: TransactionsQuery,
): Promise<Json> {
  const list = listContext(ctx, policy.sealedDataKey, 'transactions');
  const [started, last] = (await readCursor(list, cursor))?.split(' ') ?? [];
  const query = {
    status,
    caller: isAdmin(policy) ? undefined : ctx.caller.userUuid,
    after: last === undefined ? undefined : ([Number(started), last] as const),
    limit: limit + 1,
  };
  const found = await askLog<readonly Shown[]>(ctx, async (log) => log.list(query));
  const page = found.slice(0, limit);
  const end = found.length > limit ? page.at(-1) : undefined;
  return {
    transactions: page.map((each) => {
      const { participants: _, ...summary } = recordOf(each);
      return summary;
    }),
    ...(end ? { next_cursor: await writeCursor(list, `${end.started} ${end.id}`) } : {}),
  };
}

/**
 * Records what a person did in a database.
 * @throws GatewayError TRANSACTION_NOT_FOUND, FORBIDDEN, TRANSACTION_CLOSED for one that is not in doubt
 */
export async function resolveTransaction(
  ctx: Context,
  { policy, held, demands }: Omit<Rights, 'params'>,
  id: string,
  { participant, outcome }: ResolveBody,
): Promise<Json> {
  const before = await findShown(ctx, policy, id);
  demands.push(demand({ held, policy, params: {} }, 'Admin'));
  const { requestId, address, caller } = ctx;
  const by = { uuid: caller.userUuid, name: caller.userId, requestId, address };
  const answer = await askLog<Shown | 'unknown' | 'not in doubt'>(ctx, async (log) =>
    log.resolve(id, participant, outcome, by),
  );
  if (answer === 'unknown') throw transactionNotFound(id);
  if (answer === 'not in doubt') throw transactionClosed(id, before.status);
  return recordOf(answer);
}

/** A transaction as replies write it. */
function recordOf(shown: Shown): JsonObject {
  const { id, sequence, guarantee, status, participants, error } = shown;
  const times = (['started', 'decided', 'ended'] as const).flatMap((name) => {
    const time = shown[name];
    return time === undefined ? [] : [[name, isoTime(time)] as const];
  });
  return {
    ...{ transaction_id: id, sequence, guarantee, status },
    ...Object.fromEntries(times),
    ...(error ? { error: errorOf(error) } : {}),
    participants: participants.map((each) => ({ ...each })),
  };
}

function errorOf({ code, message, details }: NonNullable<Shown['error']>): JsonObject {
  const told = JSON.parse(details) as readonly ErrorDetails[] & Json[]; // As it was kept.
  return {
    error: ERRORS[code].error,
    message,
    code,
    ...(told.length > 0 ? { details: told } : {}),
  };
}
