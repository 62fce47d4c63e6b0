/** The service's methods for transactions over many databases: shares that begin, go on, are prepared and end. Spec: transactions.md §2, §3. */

import { type BackendClient, type Call, can } from '../proto/driver.ts';
import { badRequest, GatewayError } from '../proto/errors.ts';
import type { CommitRequest, PrepareRequest } from '../proto/gen/relay/v1/relay_pb.ts';
import {
  type Beginning,
  ISOLATIONS,
  type Isolation,
  isPreparing,
  type Joins,
  type Participant,
  type Performed,
  type Prepared,
  type Prepares,
  SHARE_NAME,
  SHARE_PREFIX,
  type Share,
} from '../proto/prepares.ts';
import { callOf, notSupported, targetOf, using } from './backend-call.ts';
import type { CallContext } from './drivers/deadline.ts';
import type { RelayMethods, ServiceParts } from './service.ts';
import { type Opened, open } from './share-message.ts';
import { type CallTarget, writing } from './target.ts';
import { togetherMethods } from './together.ts';

const NONE = new Uint8Array();

type Parts = Pick<ServiceParts, 'calls' | 'pools' | 'leases' | 'results' | 'admission'>;

/** The methods as Connect calls them. */
export function shareMethods(parts: Parts) {
  const singly = { ...openMethods(parts), ...endMethods(parts) };
  return { ...singly, ...togetherMethods(parts, singly), ...lookMethods(parts) };
}

function openMethods({ calls, pools, leases, results, admission }: Parts) {
  const perform = async (opened: Opened, id: string) => {
    const { target, share, call, started } = opened;
    const performed = await leases.onShare(
      { id, endpoint: target.endpoint },
      call,
      (participant, own) => participant.perform(share, own),
    );
    return messageOf(results, performed, started);
  };
  return {
    begin: (request, context) =>
      calls.unary('Begin', context, async (signal, subject) => {
        const target = targetOf(request.target, subject);
        const beginning = beginningOf(request);
        const opened = await open(target, request.share, signal, subject);
        const use = await pools.enter(target);
        const { id, expiresMs } = await leases.open({
          endpoint: target.endpoint,
          poolKey: target.poolKey,
          max: use.leasesMax,
          start: async () => joining(use.client).join(beginning, opened.call),
          ended: use.leave,
        });
        const performed = await perform(opened, id);
        const onClock = BigInt(admission.onGatewaysClock(expiresMs));
        return { sessionId: id, expiresMs: onClock, performed };
      }),

    continue: (request, context) =>
      calls.unary('Continue', context, async (signal, subject) => {
        const target = targetOf(request.target, subject);
        const opened = await open(target, request.share, signal, subject);
        return { performed: await perform(opened, request.sessionId) };
      }),

    prepare: (request: PrepareRequest, context: CallContext) =>
      calls.unary('Prepare', context, async (signal, subject) => {
        const target = writing(targetOf(request.target, subject));
        const { sessionId } = request;
        const beginning = beginningOf({ ...request, onePhase: false });
        const { share, call, started } = await open(target, request.share, signal, subject);
        const prepared = await (sessionId === ''
          ? prepareAtOnce(pools, target, { beginning, share, call })
          : leases.onShare(
              { id: sessionId, endpoint: target.endpoint, ends: true },
              call,
              (participant, own) => prepareLate(participant, share, own),
            ));
        return {
          performed: messageOf(results, { ...prepared, recovery: '' }, started),
          prepared: prepared.prepared,
          recovery: prepared.recovery,
        };
      }),
  } satisfies Partial<RelayMethods>;
}

/**
 * One that only reads has nothing to prepare: backends that cannot prepare take part so. Where that is stopped, it is told at once: a backend
 * that does not answer does not undo it in time either, and its client is left once it has.
 */
async function prepareAtOnce(
  pools: Parts['pools'],
  target: CallTarget,
  { beginning, share, call }: { beginning: Beginning; share: Share; call: Call },
): Promise<Performed & Prepared> {
  const { client, leave } = await pools.enter(target);
  let ended: Promise<unknown> = Promise.resolve();
  try {
    if (can(client, 'prepare')) return await client.prepare(beginning, share, call);
    const participant = await joining(client).join({ ...beginning, onePhase: true }, call);
    const performed = performAndEnd(participant, share, call);
    const isStopped = await performed.then(() => false, isTimedOut);
    ended = participant.close().catch(() => {}); // Its failure is told, if any.
    if (!isStopped && !call.signal.aborted) await ended;
    return await performed;
  } finally {
    void ended.then(leave);
  }
}

function isTimedOut(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'TIMED_OUT';
}

async function performAndEnd(
  participant: Participant,
  share: Share,
  call: Call,
): Promise<Performed & Prepared> {
  const performed = await participant.perform(share, call);
  if (!performed.onlyRead) throw notSupported('prepared transactions');
  await participant.commit(call);
  return { ...performed, prepared: false, recovery: '' };
}

async function prepareLate(
  participant: Participant,
  share: Share,
  call: Call,
): Promise<Performed & Prepared> {
  if (!isPreparing(participant)) return performAndEnd(participant, share, call);
  const performed = await participant.perform(share, call);
  return { ...performed, ...(await participant.prepare(call)) };
}

function endMethods({ calls, pools, leases }: Parts) {
  return {
    commit: (request: CommitRequest, context: CallContext) =>
      calls.unary('Commit', context, async (signal, subject) => {
        const { transactionId, sessionId, recovery } = request;
        const target = shareTarget(targetOf(request.target, subject), transactionId, sessionId);
        const call = callOf({}, target, signal);
        if (sessionId === '') {
          return using(pools, target, ({ client }) =>
            preparing(client).commit(transactionId, recovery, call),
          );
        }
        const which = { id: sessionId, endpoint: target.endpoint, ends: true };
        await leases.onShare(which, call, (participant, own) => participant.commit(own));
        return { found: true, status: 'committed' };
      }),

    rollback: (request, context) =>
      calls.unary('Rollback', context, async (signal, subject) => {
        const { transactionId, sessionId, recovery } = request;
        const target = shareTarget(targetOf(request.target, subject), transactionId, sessionId);
        if (sessionId === '') {
          return using(pools, target, ({ client }) =>
            joining(client).rollback(transactionId, recovery, callOf({}, target, signal)),
          );
        }
        const found = await leases.close(sessionId, target.endpoint);
        return { found, status: found ? 'rolled_back' : 'unknown' };
      }),

    settle: (request, context) =>
      calls.unary('Settle', context, async (signal, subject) => {
        const target = targetOf(request.target, subject);
        const status = await using(pools, target, ({ client }) =>
          joining(client).settle(request.recovery, callOf({}, target, signal)),
        );
        return { status };
      }),
  } satisfies Partial<RelayMethods>;
}

function lookMethods({ calls, pools }: Parts) {
  return {
    recover: (request, context) =>
      calls.unary('Recover', context, async (signal, subject) => {
        const target = writing(targetOf(request.target, subject));
        const prefix = prefixOf(request);
        const shares = await using(pools, target, ({ client }) =>
          preparing(client).recover(prefix, callOf({}, target, signal)),
        );
        return {
          shares: shares.map(({ name, ageMs, owner }) => ({
            transactionId: name,
            owner,
            ...(ageMs === undefined ? {} : { ageMs: BigInt(Math.round(ageMs)) }),
          })),
        };
      }),

    waits: (request, context) =>
      calls.unary('Waits', context, async (signal, subject) => {
        const target = writing(targetOf(request.target, subject));
        const prefix = prefixOf(request);
        const { shown, waits } = await using(pools, target, ({ client }) =>
          preparing(client).waits(prefix, callOf({}, target, signal)),
        );
        return { shown, waits: waits.map((wait) => ({ ...wait })) };
      }),

    lacks: (request, context) =>
      calls.unary('Lacks', context, async (signal, subject) => {
        const target = writing(targetOf(request.target, subject));
        return using(pools, target, async ({ client }) => {
          const joins = can(client, 'join');
          if (!can(client, 'prepare')) return { joins, lacks: [NEVER] };
          const lacks = await client.lacks(callOf({}, target, signal));
          return { joins, lacks: lacks.map((lack) => ({ ...lack })) };
        });
      }),
  } satisfies Partial<RelayMethods>;
}

/** Of kinds that have nothing to prepare with. */
const NEVER = { code: 'kind', message: 'prepared transactions: backends of this kind have none' };

function joining(client: BackendClient): Joins {
  if (!can(client, 'join')) throw notSupported('transactions over many databases');
  return client;
}

function preparing(client: BackendClient): Prepares {
  if (!can(client, 'prepare')) throw notSupported('prepared transactions');
  return client;
}

/** What ends a share names it in one of two ways. */
function shareTarget(target: CallTarget, transactionId: string, sessionId: string): CallTarget {
  if (sessionId !== '' && transactionId === '') return target;
  if (sessionId !== '') throw badRequest('session_id', 'goes without transaction_id');
  nameOf(transactionId);
  return writing(target);
}

function nameOf(transactionId: string): string {
  if (!SHARE_NAME.test(transactionId)) throw badRequest('transaction_id', 'is no name of a share');
  return transactionId;
}

function prefixOf({ prefix }: { readonly prefix: string }): string {
  if (!SHARE_PREFIX.test(prefix))
    throw badRequest('prefix', 'is not what names of shares begin with');
  return prefix;
}

interface BeginningMessage {
  readonly transactionId: string;
  readonly isolation: string;
  readonly onePhase: boolean;
  readonly markPlace?: string;
}

function beginningOf({
  transactionId,
  isolation,
  onePhase,
  markPlace = '',
}: BeginningMessage): Beginning {
  const beginning = { name: nameOf(transactionId), isolation: isolationOf(isolation), onePhase };
  return markPlace === '' ? beginning : { ...beginning, markPlace };
}

function isolationOf(asked: string): Isolation | undefined {
  if (asked === '') return undefined;
  const found = ISOLATIONS.find((each) => each === asked);
  if (found === undefined) throw badRequest('isolation', `is none of ${ISOLATIONS.join(', ')}`);
  return found;
}

function messageOf(results: ServiceParts['results'], performed: Performed, started: number) {
  const backendUs = BigInt(Math.round((performance.now() - started) * 1000));
  const { onlyRead, recovery } = performed;
  const told = { backendUs, onlyRead, recovery };
  const collectId = results.keep(performed.results);
  return collectId === undefined
    ? { ...told, results: performed.results, collectId: '' }
    : { ...told, results: NONE, collectId };
}
