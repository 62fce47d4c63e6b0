/** How requests of kind `http` leave: each program has a line of its own. */
import { GatewayError } from '../../proto/errors.ts';
import type { Header } from './headers.ts';
import type { Method } from './request.ts';

/** A request, ready to be sent. */
export interface Outgoing {
  readonly method: Method;
  readonly url: URL;
  readonly headers: readonly Header[];
  readonly body: Uint8Array | undefined;
}

/** A reply whose head has arrived. */
export interface Incoming {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: readonly Header[];
  /** As it arrives, decoded as `encodings` says. A reader that stops early ends the reply. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Whether the runtime has undone the `Content-Encoding`. */
  readonly isDecoded: boolean;
}

/** A way to servers that looks at every address. */
export interface HttpTransport {
  /**
   * Sends a request and no other; redirects are not followed.
   * @throws NotSent
   * @throws GatewayError CONNECTION_FAILED, TIMED_OUT when it may have arrived
   */
  send(request: Outgoing, signal: AbortSignal): Promise<Incoming>;
  close(): Promise<void>;
}

/** A request provably did not reach the server. */
export class NotSent extends GatewayError {
  /** @param told what the caller is told */
  constructor(told: GatewayError) {
    const { details, retryAfter } = told;
    super(told.code, told.message, {
      cause: told,
      details,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
  }
}
