/** The way to an index, which each program has its own of. */

/** Sends requests to one index. */
export interface Line {
  /**
   * Sends a request; redirects are not followed.
   * @param signal the call's own: a request's follows it only while somebody holds the request
   * @throws NotSent, any other Error when the request may have arrived
   */
  send(request: Request, signal: AbortSignal): Promise<Response>;
  close(): Promise<void>;
}

/** A request provably did not reach the index; the cause is what the caller is told. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  override readonly cause: unknown;

  constructor(cause: unknown) {
    super('not sent');
    this.cause = cause;
  }
}
