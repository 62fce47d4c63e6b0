/** Calls an operation for any caller: limits, rights, once-only, audit of refusals and activity are here. Architecture: "A call knows no HTTP". */
import { ERRORS, GatewayError } from '../../proto/errors.ts';
import { bytesInPieces } from '../../proto/json-bytes.ts';
import { isMovedWithin } from '../../proto/ordered-json.ts';
import type { Ticket } from '../../proto/work/ticket.ts';
import { type Authorized, authorize } from '../access/access.ts';
import { forgetAll, forgetOrganization } from '../access/policy.ts';
import { recordDenial } from '../audit/denial.ts';
import type { Context } from '../context.ts';
import { goingOn } from '../idempotency/mark.ts';
import { once } from '../idempotency/once.ts';
import type { Keyed } from '../idempotency/rule.ts';
import { countCaller } from '../limits/caller.ts';
import { giveBack, inPieces, isLight } from '../limits/heavy-work.ts';
import { noteCaller } from '../limits/neighbours.ts';
import { demandAuditRoom, type Relief } from '../limits/quotas/audit.ts';
import { inTurn } from '../limits/record-reads.ts';
import { isJson, JsonBytes, Outcome, outcomeOf, type Result, resultOf } from '../outcome.ts';
import type { AnyRoute, Changes, Input, Reply } from '../route.ts';
import { parse } from '../shapes/parse.ts';
import { addSpan } from '../tracing.ts';
import { noteOperation, noteUse } from '../users/activity/note.ts';

/** What an operation is called with, besides what its path names. */
export interface CallInput
  extends Omit<Input<unknown, unknown, unknown, unknown>, keyof CallFindings | 'key'> {
  /** What makes a repeat of the call answer the same again. */
  readonly keyed?: Keyed<unknown> | undefined;
  /** In the line of heavy work, of a large body. */
  readonly place?: Ticket | undefined;
}

/** What the call itself finds out. */
type CallFindings = Authorized<unknown> & { readonly params: unknown };

/** An operation without a caller has no rights to check. */
const NOBODY = { resource: undefined, held: 'None', demands: [] } as unknown as Authorized<unknown>;

/**
 * Calls an operation for the context's caller.
 * @param names what the operation acts on, as its path names it
 * @param read gives the rest, once the caller is known to have the right
 */
export async function call(
  ctx: Context,
  operation: AnyRoute,
  names: Readonly<Record<string, string>>,
  read: (authorized: Authorized<unknown>) => Promise<CallInput>,
): Promise<Outcome> {
  const isPublic = operation.access.level === 'Public';
  const outcome = await outcomeOf(async (known) => {
    if (!isPublic) {
      noteCaller(ctx.caller.orgUuid);
      countCaller(ctx);
    }
    const params: unknown = parse(operation.params, names, 'path');
    const started = ctx.now();
    const authorized = isPublic
      ? NOBODY
      : await authorize(ctx, operation.access, params).finally(() => {
          const ended = ctx.now();
          known.timing = { authorize: ended - started };
          addSpan(ctx.trace, 'authorize', started, ended);
        });
    const { keyed, place, ...arrived } = await read(authorized);
    const isKept = keyed?.rule.isKeptBy?.(authorized.resource) === true;
    const isOwn = isKept || keyed?.rule.own === true;
    const input = { ...arrived, ...authorized, params, key: isOwn ? keyed : undefined };
    const run = (own: Context) => perform(own, operation, names, input);
    const own = place ? { ...ctx, place } : ctx;
    const { bytes, body, policy, demands } = input;
    const plain = () => (isKept ? goingOn(own, run) : run(own));
    const ended =
      keyed && !isOwn ? once(own, { ...keyed, bytes, body, policy, demands }, run) : plain();
    return place ? ended.finally(() => giveBack(place)) : ended;
  });
  const { result, demands } = outcome;
  if (!isPublic && !isUnauthorized(result)) noteUse(ctx);
  if (result instanceof GatewayError && outcome.replayOf === undefined) {
    recordDenial(ctx, operation, names, { result, demands });
  }
  return outcome;
}

/** Whether the caller's token was not taken. */
function isUnauthorized(result: Result | GatewayError): boolean {
  return result instanceof GatewayError && ERRORS[result.code].status === 401;
}

/** Runs the operation, whose caller may. */
function perform(
  ctx: Context,
  operation: AnyRoute,
  names: Readonly<Record<string, string>>,
  input: Input<unknown, unknown, unknown, unknown>,
): Promise<Outcome> {
  const { access, changes } = operation;
  return outcomeOf(async (known) => {
    try {
      if (changes === 'organization') await demandAuditRoom(ctx, reliefOf(operation, input.body));
      const reply = await handle(ctx, operation, input);
      const result = reply instanceof Outcome ? resultOf(known, reply) : reply;
      if (result instanceof GatewayError) return asRepeat(reply, result);
      if (access.level !== 'Public') noteOperation(ctx, operation, names);
      const isReady = isLight(input.bytes) && !isMovedWithin(result);
      const told = isReady ? result : await written(ctx, result);
      return asRepeat(reply, told);
    } finally {
      known.demands.push(...input.demands);
      forget(ctx, changes);
    }
  });
}

/** What is told again says so, a failure, too. */
function asRepeat(reply: Reply, told: Result | GatewayError): Result | GatewayError | Outcome {
  const replayOf = reply instanceof Outcome ? reply.replayOf : undefined;
  return replayOf === undefined ? told : new Outcome(told, {}, replayOf);
}

function handle(
  ctx: Context,
  operation: AnyRoute,
  input: Input<unknown, unknown, unknown, unknown>,
): Promise<Reply> {
  if (operation.method !== 'GET') return operation.handle(ctx, input);
  const own: Context = { ...ctx, query: input.query as object }; // As the operation's shape read it.
  return inTurn(own, () => operation.handle(own, input));
}

/** What may have changed is read again by the next call. */
function forget({ caller }: Context, changes: Changes): void {
  if (changes === 'organization') forgetOrganization(caller.orgUuid);
  if (changes === 'installation') forgetAll();
}

function reliefOf(operation: AnyRoute, body: unknown): Relief | undefined {
  return operation.relief?.(body) ?? (operation.method === 'DELETE' ? 'removal' : undefined);
}

/** What answers a large body may be large itself; members are in their order. */
async function written(ctx: Context, result: Result): Promise<Result> {
  if (!isJson(result)) return result;
  return new JsonBytes(await inPieces(ctx, bytesInPieces(result), { isBegun: true }));
}
