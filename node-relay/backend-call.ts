/** What every method of the service that reaches a backend does: reads the target, makes the call, uses the pool. */
import { type Call, REPLY_FORMS, type ReplyForm } from '../proto/driver.ts';
import { badRequest, GatewayError } from '../proto/errors.ts';
import type { Subject } from './calls.ts';
import { isLight, piecesOf } from './heavy-work.ts';
import type { Pools, PoolUse } from './pools.ts';
import { type CallTarget, parseTarget } from './target.ts';

/** Largest result of a call that names no bound, in bytes. Contract §6: "Large results". */
const RESULT_MAX_BYTES = 10 * 1024 * 1024;

/** The owner of a turn: the organization, or the endpoint where a gateway does not name the organization. */
export function ownerOf({ organization, endpoint }: CallTarget): string {
  return organization === '' ? endpoint : organization;
}

/** The target of a message, which the call's subject then names. @throws GatewayError BAD_REQUEST */
export function targetOf(
  message: Parameters<typeof parseTarget>[0],
  subject: Subject,
  inSession = false,
): CallTarget {
  const target = parseTarget(message, inSession);
  subject.kind = target.kind;
  subject.organization = target.organization;
  subject.endpoint = target.endpoint;
  return target;
}

/** What a message may say of its result. */
interface Wishes {
  readonly resultMaxBytes?: bigint;
  readonly numbersAsStrings?: boolean;
  readonly canonical?: boolean;
  readonly replyForm?: string;
}

/** The bounds of a call as its message says them. @param bytes what the driver will read of it */
export function callOf(
  request: Wishes,
  target: CallTarget,
  signal: AbortSignal,
  bytes: Uint8Array = new Uint8Array(),
  subject: Subject = {},
): Call {
  const pieces = piecesOf({ owner: ownerOf(target), subject });
  return {
    mode: target.mode,
    signal,
    resultMaxBytes: Number(request.resultMaxBytes ?? 0n) || RESULT_MAX_BYTES,
    numbersAsStrings: request.numbersAsStrings ?? false,
    canonical: request.canonical ?? false,
    replyForm: replyFormOf(request.replyForm ?? ''),
    trace: subject.trace,
    session: target.session,
    inPieces: isLight(bytes) ? undefined : pieces,
    inTurn: pieces,
    letGo: () => subject.atHand?.end(),
  };
}

function replyFormOf(named: string): ReplyForm | undefined {
  const form = REPLY_FORMS.find((each) => each === named);
  if (form === undefined && named !== '') throw badRequest('reply_form', 'is not known');
  return form;
}

/** Works with the client of a target's pool. @throws what `Pools.enter` throws */
export async function using<Result>(
  pools: Pools,
  target: CallTarget,
  work: (use: PoolUse) => Promise<Result>,
): Promise<Result> {
  const use = await pools.enter(target);
  try {
    return await work(use);
  } finally {
    use.leave();
  }
}

/** What a driver lacks. */
export function notSupported(what: string): GatewayError {
  return new GatewayError('NOT_SUPPORTED', `Endpoints of this kind do not have ${what}`);
}
