/**
 * Calls of one transaction that are sent to a relay in one message where they go the same way. Each keeps what a call of
 * its own has: its token and its pool are looked after by `callRelay`, its outcome is its own.
 */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Client, Code, ConnectError } from '@connectrpc/connect';
import { errorFromJson } from '@connectrpc/connect/protocol-connect';
import type {
  CallFailure,
  CallOriginSchema,
  CommitRequestSchema,
  CommitResponse,
  PrepareRequestSchema,
  PrepareResponse,
  RelayService,
} from '../../proto/gen/relay/v1/relay_pb.ts';
import { ENDPOINT_HEADER } from '../../proto/parts.ts';
import type { Attempt, RelayCallOptions } from './relay.ts';
import { ERROR_MAX_BYTES } from './transport.ts';

type Relay = Client<typeof RelayService>;

/** Milliseconds for which a relay that does not know such messages is sent none. Spec silent. */
const UNKNOWN_FOR_MS = 300_000;
/** Until when relays are sent none, in Unix epoch milliseconds. */
const unknownUntil = new WeakMap<Relay, number>();

/** One of several calls, as it is sent. */
interface Call<Request> {
  readonly origin: MessageInitShape<typeof CallOriginSchema>;
  readonly request: Request;
}

/** How one of them ended. */
interface Reply<Response> {
  readonly call: number;
  readonly response?: Response | undefined;
  readonly failure?: CallFailure | undefined;
}

/** A method of the relay, and the one that takes several calls of it. */
interface Method<Request, Response> {
  singly(relay: Relay, request: Request, options: RelayCallOptions): Promise<Response>;
  together(
    relay: Relay,
    calls: Call<Request>[],
    options: RelayCallOptions,
  ): Promise<{ readonly replies: readonly Reply<Response>[] }>;
}

/** As `Prepare` and `PrepareTogether`. */
export const PREPARE: Method<MessageInitShape<typeof PrepareRequestSchema>, PrepareResponse> = {
  singly: (relay, request, options) => relay.prepare(request, options),
  together: (relay, calls, options) => relay.prepareTogether({ calls }, options),
};

/** As `Commit` and `CommitTogether`. */
export const COMMIT: Method<MessageInitShape<typeof CommitRequestSchema>, CommitResponse> = {
  singly: (relay, request, options) => relay.commit(request, options),
  together: (relay, calls, options) => relay.commitTogether({ calls }, options),
};

/** A try of a call, as far as it is sent. */
type Way = Pick<Attempt, 'relay' | 'options'>;

/** A call that has come. */
interface Waiting<Request, Response> extends Way {
  readonly request: Request;
  resolve(response: Response | Promise<Response>): void;
  reject(cause: unknown): void;
}

/** Sends the calls of its members once each has come, or has left. */
export class Together<Request, Response> {
  readonly #method: Method<Request, Response>;
  #awaited: number;
  readonly #waiting: Waiting<Request, Response>[] = [];

  /** @param members each takes a `seat` */
  constructor(method: Method<Request, Response>, members: number) {
    this.#method = method;
    this.#awaited = members;
  }

  /** For one member. */
  seat(): Seat<Request, Response> {
    return new Seat(
      (way, request) => this.#method.singly(way.relay, request, way.options),
      (way, request) => this.#wait(way, request),
      () => this.#arrived(),
    );
  }

  #wait({ relay, options }: Way, request: Request): Promise<Response> {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    this.#waiting.push({ relay, options, request, resolve, reject });
    this.#arrived();
    return promise;
  }

  #arrived(): void {
    this.#awaited -= 1;
    if (this.#awaited > 0) return;
    for (const ofRelay of Map.groupBy(this.#waiting, ({ relay }) => relay).values()) {
      // Those with a signal of their own may end, or move on, before the others.
      for (const group of Map.groupBy(ofRelay, ({ options }) => options.signal).values()) {
        void this.#send(group);
      }
    }
  }

  async #send(group: readonly Waiting<Request, Response>[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    const { relay } = first;
    if (group.length === 1 || (unknownUntil.get(relay) ?? 0) > Date.now()) {
      this.#sendSingly(group);
      return;
    }
    try {
      const calls = group.map(({ request, options }) => ({ origin: originOf(options), request }));
      const { replies } = await this.#method.together(relay, calls, optionsOf(group, first));
      await settle(group, replies);
    } catch (thrown) {
      if (isUnknown(thrown)) {
        unknownUntil.set(relay, Date.now() + UNKNOWN_FOR_MS);
        this.#sendSingly(group);
      } else for (const { reject } of group) reject(thrown);
    }
  }

  #sendSingly(group: readonly Waiting<Request, Response>[]): void {
    for (const { relay, request, options, resolve } of group) {
      resolve(this.#method.singly(relay, request, options));
    }
  }
}

/** What one member sends by. */
class Seat<Request, Response> {
  readonly #singly: (way: Way, request: Request) => Promise<Response>;
  readonly #wait: (way: Way, request: Request) => Promise<Response>;
  readonly #left: () => void;
  #isTaken = false;

  constructor(
    singly: (way: Way, request: Request) => Promise<Response>,
    wait: (way: Way, request: Request) => Promise<Response>,
    left: () => void,
  ) {
    this.#singly = singly;
    this.#wait = wait;
    this.#left = left;
  }

  /** Sends with the others; alone once it has sent before, or has left. */
  send(way: Way, request: Request): Promise<Response> {
    if (this.#isTaken) return this.#singly(way, request);
    this.#isTaken = true;
    return this.#wait(way, request);
  }

  /** The others no longer wait for it. To be called in the end, whatever the outcome. */
  leave(): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    this.#left();
  }
}

/** Gives each call its own outcome, in the order in which they ended. */
async function settle<Request, Response>(
  group: readonly Waiting<Request, Response>[],
  replies: readonly Reply<Response>[],
): Promise<void> {
  const told = new Set<number>();
  for (const { call, response, failure } of replies) {
    const waiting = group[call];
    if (failure || response) told.add(call);
    if (failure) {
      waiting?.reject(errorOf(failure));
      // What failed first is told first, however many steps there are to who waits.
      await new Promise((resolve) => setTimeout(resolve));
    } else if (response) waiting?.resolve(response);
  }
  for (const [call, { reject }] of group.entries()) {
    if (!told.has(call)) reject(new ConnectError('no reply', Code.Unavailable));
  }
}

function errorOf({ error, headers }: CallFailure): ConnectError {
  const fallback = new ConnectError('no reply', Code.Unavailable);
  if (error.byteLength > ERROR_MAX_BYTES) return fallback;
  try {
    const given: unknown = JSON.parse(new TextDecoder().decode(error));
    return errorFromJson(given as Parameters<typeof errorFromJson>[0], headers, fallback);
  } catch {
    return fallback; // It is no error of the protocol.
  }
}

function originOf({ headers }: RelayCallOptions): MessageInitShape<typeof CallOriginSchema> {
  const { [ENDPOINT_HEADER]: endpoint = '', traceparent = '', tracestate = '' } = headers;
  return { endpoint, traceparent, tracestate };
}

/** Of the message: what is one call's alone is in its origin. */
function optionsOf(group: readonly Way[], { options }: Way): RelayCallOptions {
  const { [ENDPOINT_HEADER]: _, traceparent: __, tracestate: ___, ...headers } = options.headers;
  return {
    ...options,
    headers,
    timeoutMs: Math.min(...group.map((each) => each.options.timeoutMs)),
  };
}

/** Whether the relay is of an earlier version: it has done nothing then. */
function isUnknown(thrown: unknown): boolean {
  return thrown instanceof ConnectError && thrown.code === Code.Unimplemented;
}
