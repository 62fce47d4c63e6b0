/** The relay's methods for writes and shares that leave marks. Spec: transactions.md §2, §7. */
import { type BackendClient, can } from '../proto/driver.ts';
import { badRequest } from '../proto/errors.ts';
import type { OnceMark as MarkMessage, RunOnceRequest } from '../proto/gen/relay/v1/relay_pb.ts';
import type { KeepsOnce, OnceMark, OnceWork } from '../proto/once.ts';
import { callOf, notSupported, ownerOf, targetOf, using } from './backend-call.ts';
import { type Asking, inTurn } from './heavy-work.ts';
import { parse, parseInPieces, parseOperations, parseOperationsInPieces } from './requests.ts';
import type { RelayMethods, ServiceParts } from './service.ts';
import { type CallTarget, writing } from './target.ts';

const DIGEST = /^[\da-f]{64}$/;

/** The methods as Connect calls them. */
export function onceMethods(parts: ServiceParts) {
  return { ...writeMethod(parts), ...shareMethods(parts) };
}

function writeMethod({ calls, pools, results }: ServiceParts) {
  return {
    runOnce: (request, context) =>
      calls.unary('RunOnce', context, async (signal, subject) => {
        const target = writing(targetOf(request.target, subject));
        const mark = markOf(request.mark);
        const bytes = bytesOf(request);
        const call = { ...callOf(request, target, signal, bytes, subject), letGo: undefined };
        const asking = { owner: ownerOf(target), signal, subject };
        const work = await readWork(asking, target, request, bytes);
        const started = performance.now();
        subject.askedAt = started;
        const { result, isReplay } = await using(pools, target, ({ client }) =>
          keeping(client).once(work, mark, call),
        );
        const backendUs = BigInt(Math.round((performance.now() - started) * 1000));
        const collectId = results.keep(result);
        const told = { backendUs, replayed: isReplay };
        return collectId === undefined ? { ...told, result } : { ...told, collectId };
      }),
  } satisfies Partial<RelayMethods>;
}

function shareMethods({ calls, pools, leases }: ServiceParts) {
  return {
    commitMarked: (request, context) =>
      calls.unary('CommitMarked', context, async (signal, subject) => {
        const target = targetOf(request.target, subject);
        const mark = markOf(request.mark);
        const which = { id: request.sessionId, endpoint: target.endpoint, ends: true };
        await leases.onShare(which, callOf({}, target, signal), (participant, own) =>
          participant.commitMarked(mark, own),
        );
        return {};
      }),

    settleMarked: (request, context) =>
      calls.unary('SettleMarked', context, async (signal, subject) => {
        const target = writing(targetOf(request.target, subject));
        const mark = markOf(request.mark);
        const call = callOf({}, target, signal);
        const status = await using(pools, target, ({ client }) =>
          keeping(client).settleMark(mark, request.recovery, call),
        );
        return { status };
      }),
  } satisfies Partial<RelayMethods>;
}

function keeping(client: BackendClient): KeepsOnce {
  if (!can(client, 'once')) throw notSupported('writes that they keep once');
  return client;
}

function bytesOf({ request, operations }: RunOnceRequest): Uint8Array {
  return operations.byteLength > 0 ? operations : request;
}

async function readWork(
  asking: Asking,
  target: CallTarget,
  { operations }: RunOnceRequest,
  bytes: Uint8Array,
): Promise<OnceWork<unknown>> {
  if (operations.byteLength === 0) {
    const request = await inTurn(asking, bytes, {
      whole: () => parse(target, bytes),
      inPieces: () => parseInPieces(target, bytes),
    });
    return { request };
  }
  const requests = await inTurn(asking, bytes, {
    whole: () => parseOperations(target, bytes),
    inPieces: () => parseOperationsInPieces(target, bytes),
  });
  return { operations: requests };
}

function markOf(message: MarkMessage | undefined): OnceMark {
  if (message === undefined) throw badRequest('mark', 'is missing');
  const { key, body, place, secret, settled } = message;
  if (!DIGEST.test(key)) throw badRequest('mark.key', 'is no digest');
  if (!DIGEST.test(body)) throw badRequest('mark.body', 'is no digest');
  if (place === '') throw badRequest('mark.place', 'is missing');
  if (!DIGEST.test(secret)) throw badRequest('mark.secret', 'is no key');
  return { key, body, place, secret, settled };
}
