/** What a failed call to a relay stands for: the one map from Connect's errors to ours. Contract §2. */
import { Code, ConnectError } from '@connectrpc/connect';
import { GatewayError, isErrorCode, outcomeUnknown } from '../../proto/errors.ts';
import { ErrorDetailSchema } from '../../proto/gen/relay/v1/relay_pb.ts';
import { timedOut } from './deadline.ts';
import { TOLD_BY_RELAYS } from './errors.ts';
import { isForeign } from './foreign-failures.ts';
import { noReply } from './no-reply.ts';
import { detailsIn, retryAfterIn } from './told-details.ts';

/** Seconds after which a node that is gone may be back, or another one replaces it. Spec silent. */
const RETRY_AFTER_S = 2;

/** With these a call was turned away at the door: by the relay, or by whatever else answers there. */
const TURNED_AWAY: readonly Code[] = [
  Code.Unauthenticated,
  Code.PermissionDenied,
  Code.Unimplemented,
];
/** With these a relay that names no code of ours says that it cannot read what we sent. */
const NOT_UNDERSTOOD: readonly Code[] = [
  Code.InvalidArgument,
  Code.FailedPrecondition,
  Code.OutOfRange,
  Code.ResourceExhausted,
];

/** What bears on a failure's meaning. */
interface Circumstances {
  /** Whether the call may have changed the backend if it arrived. */
  readonly writes: boolean;
  /** The call's own signal: aborted once its time is up or its client gone. */
  readonly signal: AbortSignal;
}

/** The failure for the client; its text is the relay's own only where the relay names a code of ours. */
export function failureOf(thrown: unknown, { writes, signal }: Circumstances): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  const cause = ConnectError.from(thrown);
  const told = toldFailure(cause);
  if (told) return told;
  if (signal.aborted || cause.code === Code.DeadlineExceeded) {
    return writes ? outcomeUnknown(cause, true) : timedOut(cause);
  }
  const nonsense = nonsenseIn(cause);
  if (nonsense !== undefined) return noReply(writes, nonsense);
  if (TURNED_AWAY.includes(cause.code)) return nodeUnavailable(cause);
  if (isAnswer(cause) && NOT_UNDERSTOOD.includes(cause.code)) {
    return new GatewayError('INTERNAL', 'Something went wrong', { cause });
  }
  return writes ? outcomeUnknown(cause) : nodeUnavailable(cause);
}

/** Whether the relay itself answered, as opposed to a broken line or a proxy. */
export function isAnswer(failure: ConnectError): boolean {
  return failure.isWireError;
}

/** Whether what answers at the node's address takes none of its calls: it is another relay, or knows another key. */
export function isTurnedAway({ cause }: GatewayError): boolean {
  return cause instanceof ConnectError && isAnswer(cause) && TURNED_AWAY.includes(cause.code);
}

/** Whether the relay asks for the sealed connection. */
export function asksForConnection(failure: ConnectError): boolean {
  return isRefusal(failure, 'CONNECTION_UNKNOWN');
}

/** Whether another part of the node serves the call, which its port knows. */
export function isServedElsewhere(failure: ConnectError): boolean {
  return isRefusal(failure, 'SERVED_ELSEWHERE');
}

function isRefusal(failure: ConnectError, code: string): boolean {
  return (
    failure.code === Code.FailedPrecondition &&
    failure.findDetails(ErrorDetailSchema)[0]?.code === code
  );
}

/** No node could take the call; nothing was done. */
export function nodeUnavailable(cause?: unknown): GatewayError {
  return new GatewayError('NODE_UNAVAILABLE', 'No node that can serve the endpoint is available', {
    cause,
    retryAfter: RETRY_AFTER_S,
  });
}

/** What the relay itself names: the installation's own any code of the table, another those of relays alone. */
function toldFailure(cause: ConnectError): GatewayError | undefined {
  const [detail] = cause.findDetails(ErrorDetailSchema);
  if (!detail || !isErrorCode(detail.code)) return undefined;
  if (isForeign(cause) && !TOLD_BY_RELAYS.includes(detail.code)) return undefined;
  const isBusy = cause.code === Code.Unavailable || cause.code === Code.ResourceExhausted;
  const given = retryAfterIn(cause.metadata.get('Retry-After'));
  const retryAfter = given ?? (isBusy ? RETRY_AFTER_S : undefined);
  return new GatewayError(detail.code, cause.rawMessage, {
    cause,
    details: detailsIn(detail.details),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** What an organization's own node told that no relay tells. */
function nonsenseIn(cause: ConnectError): string | undefined {
  if (!isForeign(cause) || !isAnswer(cause)) return undefined;
  const [detail] = cause.findDetails(ErrorDetailSchema);
  if (detail && isErrorCode(detail.code)) return 'a code that no relay names';
  return NOT_UNDERSTOOD.includes(cause.code) ? 'a refusal without a code' : undefined;
}
