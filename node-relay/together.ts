/** The service's methods for several calls in one message: shares of one transaction that are prepared, or commit, at the same time. */
import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { errorToJsonBytes } from '@connectrpc/connect/protocol-connect';
import { GatewayError } from '../proto/errors.ts';
import {
  type CallOrigin,
  type CommitRequest,
  CommitRequestSchema,
  type PrepareRequest,
  PrepareRequestSchema,
} from '../proto/gen/relay/v1/relay_pb.ts';
import { ENDPOINT_HEADER } from '../proto/parts.ts';
import type { CallContext } from './drivers/deadline.ts';
import { CallRefused, toConnectError } from './failures.ts';
import type { RelayMethods, ServiceParts } from './service.ts';

/** The methods that each of the calls is one of. @throws ConnectError */
interface Singly<Prepared, Committed> {
  prepare(request: PrepareRequest, context: CallContext): Promise<Prepared>;
  commit(request: CommitRequest, context: CallContext): Promise<Committed>;
}

/** The methods as Connect calls them. */
export function togetherMethods<Prepared extends object, Committed extends object>(
  { calls, pools }: Pick<ServiceParts, 'calls' | 'pools'>,
  { prepare, commit }: Singly<Prepared, Committed>,
) {
  /** Else a call would be answered what it lacks only once the others have ended. */
  const refuseUnknown = async (
    method: string,
    requests: readonly Pick<PrepareRequest, 'target'>[],
    context: CallContext,
  ): Promise<void> => {
    if (requests.every(({ target }) => target === undefined || pools.knows(target))) return;
    const message = 'The connection of a pool is not known here';
    await calls.unary(method, context, () =>
      Promise.reject(new CallRefused(Code.FailedPrecondition, 'CONNECTION_UNKNOWN', message)),
    );
  };
  return {
    prepareTogether: async ({ calls: given }, context: CallContext) => {
      const requests = given.map(({ request }) => request ?? create(PrepareRequestSchema));
      await refuseUnknown('PrepareTogether', requests, context);
      const ending = endingWith(context.signal);
      const run = (at: number, request: PrepareRequest) =>
        prepare(request, ownContext(context, given[at]?.origin, ending.signal));
      return { replies: await repliesOf(requests, run, (error) => endOthers(ending, error)) };
    },

    commitTogether: async ({ calls: given }, context: CallContext) => {
      const requests = given.map(({ request }) => request ?? create(CommitRequestSchema));
      await refuseUnknown('CommitTogether', requests, context);
      const run = (at: number, request: CommitRequest) =>
        commit(request, ownContext(context, given[at]?.origin, context.signal));
      return { replies: await repliesOf(requests, run) };
    },
  } satisfies Partial<RelayMethods>;
}

/** What a call came to, as `PrepareReply` and `CommitReply` have it. */
type Reply<Response> =
  | { readonly call: number; readonly response: Response }
  | { readonly call: number; readonly failure: ReturnType<typeof failureOf> };

/** Runs all at the same time; answers in the order in which they ended. */
async function repliesOf<Request, Response>(
  requests: readonly Request[],
  run: (at: number, request: Request) => Promise<Response>,
  failed: (error: ConnectError) => void = () => {},
): Promise<Reply<Response>[]> {
  const replies: Reply<Response>[] = [];
  const each = async (request: Request, call: number) => {
    try {
      replies.push({ call, response: await run(call, request) });
    } catch (cause) {
      const error = cause instanceof ConnectError ? cause : toConnectError(cause);
      replies.push({ call, failure: failureOf(error) });
      failed(error);
    }
  };
  await Promise.all(requests.map(each));
  return replies;
}

function failureOf(error: ConnectError) {
  const headers: Record<string, string> = Object.fromEntries(error.metadata);
  return { error: errorToJsonBytes(error, undefined), headers };
}

/** What ends all calls of one message, with it at the latest. */
function endingWith(signal: AbortSignal): AbortController {
  const ending = new AbortController();
  const end = () => ending.abort(signal.reason);
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return ending;
}

/** One that the gateway only has to send anew has not failed. */
function endOthers(ending: AbortController, { code }: ConnectError): void {
  if (code === Code.FailedPrecondition) return;
  ending.abort(new GatewayError('TIMED_OUT', 'Another share of the transaction has failed'));
}

/** The headers of a call of its own. */
function ownContext(
  { requestHeader, timeoutMs }: CallContext,
  origin: CallOrigin | undefined,
  signal: AbortSignal,
): CallContext {
  const { endpoint = '', traceparent = '', tracestate = '' } = origin ?? {};
  const own = new Map([
    [ENDPOINT_HEADER.toLowerCase(), endpoint],
    ...Object.entries({ traceparent, tracestate }),
  ]);
  const get = (name: string) => {
    const told = own.get(name.toLowerCase());
    return told === undefined ? requestHeader.get(name) : told || null;
  };
  return { signal, timeoutMs, requestHeader: { get } };
}
