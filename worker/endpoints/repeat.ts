/** What `Idempotency-Key` means for requests to endpoints. Contract: "Retries by the client". */

import { TIMEOUT_DEFAULT_MS, TIMEOUT_MAX_MS } from '../../kinds/members.ts';
import { isJsonObject, type Json } from '../../proto/json.ts';
import type { Idempotency } from '../idempotency/rule.ts';
import { acceptsLines } from './run.ts';
import { isInSession } from './sessions.ts';
import { acceptsEvents } from './subscribe.ts';
import { type TransactionBody, timeoutOf } from './transaction.ts';

/** Not what streams, nor what runs in a session: neither can be had a second time. */
const honours = (request: Request): boolean =>
  !acceptsLines(request) && !acceptsEvents(request) && !isInSession(request);

/** Of `/write`. */
export const REPEATED_WRITE: Idempotency<Json> = {
  honours,
  lasts: (body) => askedIn(body) ?? TIMEOUT_DEFAULT_MS,
};
/** Of `/read`. */
export const REPEATED_READ: Idempotency<Json> = { ...REPEATED_WRITE, reads: true };
/** Of `/transaction`. */
export const REPEATED_TRANSACTION: Idempotency<TransactionBody> = {
  lasts: ({ timeout_ms, operations }) =>
    timeout_ms ?? timeoutOf(operations.map((each) => ({ timeout_ms: askedIn(each) }))),
};

/** What the body asks for, before it is known to be a request. */
function askedIn(body: Json): number | undefined {
  if (!isJsonObject(body)) return undefined;
  const { timeout_ms: asked } = isJsonObject(body.request) ? body.request : body;
  return typeof asked === 'number' ? Math.min(Math.max(asked, 0), TIMEOUT_MAX_MS) : undefined;
}
