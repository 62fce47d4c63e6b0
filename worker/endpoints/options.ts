/** What requests to endpoints bring besides their bodies: query, headers, and what `Idempotency-Key` means. Contract: "Retries by the client". */
import * as z from 'zod';
import { TIMEOUT_DEFAULT_MS, TIMEOUT_MAX_MS } from '../../kinds/members.ts';
import { isJsonObject, type Json } from '../../proto/json.ts';
import { SESSION_HEADER } from '../calls/lease.ts';
import { type TransactionBody, timeoutOf } from '../calls/read-transaction.ts';
import type { RequestOptions } from '../calls/request.ts';
import { rowFormOf } from '../calls/row-form.ts';
import { TRANSACTION_HEADER } from '../calls/transactions/interactive.ts';
import { takesJson } from '../http/accept.ts';
import type { Given, Idempotency, Key } from '../idempotency/rule.ts';
import type { Worked } from '../limits/json-worker.ts';
import type { Endpoint } from './access.ts';

/** Query string of requests to endpoints. */
export const RunQuery = z.strictObject({
  numbers: z
    .literal('string')
    .optional()
    .meta({
      description:
        'Every 64-bit column as a string, whatever its value; left out, only integers beyond ±2^53 are',
      examples: ['string'],
    }),
  ejson: z
    .literal('canonical')
    .optional()
    .meta({
      description:
        'A MongoDB endpoint answers in canonical Extended JSON; left out, as its configuration says, which is relaxed by default',
      examples: ['canonical'],
    }),
});

interface EndpointCall extends Given {
  readonly query: z.infer<typeof RunQuery>;
  readonly bytes: Uint8Array | undefined;
  readonly worked?: Worked | undefined;
  readonly key?: Key | undefined;
}

/** What a request asks for by its query and headers. */
export function optionsOf({
  query,
  bytes,
  worked,
  key,
  forms,
  header,
}: EndpointCall): RequestOptions {
  return {
    numbersAsStrings: query.numbers === 'string',
    canonical: query.ejson === 'canonical',
    bytes,
    worked,
    key,
    forms,
    takesJson: takesJson(header('Accept')),
    session: header(SESSION_HEADER),
    transaction: header(TRANSACTION_HEADER),
    // As browsers send it.
    resumeAfter: header('Last-Event-ID'),
  };
}

/** Not what runs in a session, which cannot be had a second time. */
const isAlone = ({ header }: Given) =>
  header(SESSION_HEADER) === undefined && header(TRANSACTION_HEADER) === undefined;
const lasts = (body: Json) => timeoutIn(body) ?? TIMEOUT_DEFAULT_MS;
/** What an operation on an endpoint acts on. */
const endpointIn = (resource: unknown) => resource as Endpoint; // As their `access` finds it.
/** Whether the endpoint's backend keeps keys. @param resource of an operation on an endpoint */
const isKeptBy = (resource: unknown) => endpointIn(resource).row.oncePlace !== null;

/** Of `/write`: not where rows stream. A form that they cannot have does not count: JSON is answered instead, or nothing is done. */
export const REPEATED_WRITE: Idempotency<Json> = {
  honours: (given, resource) =>
    isAlone(given) &&
    takesJson(given.header('Accept')) &&
    rowFormOf(endpointIn(resource), given.forms) === undefined,
  isKeptBy,
  lasts,
};
/** Of `/read`: not where rows or events may stream. */
export const REPEATED_READ: Idempotency<Json> = {
  honours: (given) => isAlone(given) && given.forms.length === 0,
  reads: true,
  lasts,
};
/** Of `/transaction`. */
export const REPEATED_TRANSACTION: Idempotency<TransactionBody> = {
  isKeptBy,
  lasts: ({ timeout_ms, operations }) =>
    timeout_ms ?? timeoutOf(operations.map((each) => ({ timeout_ms: timeoutIn(each) }))),
};

/** What a body asks for, before it is known to be a request. */
function timeoutIn(body: Json): number | undefined {
  if (!isJsonObject(body)) return undefined;
  const { timeout_ms: timeout } = isJsonObject(body.request) ? body.request : body;
  return typeof timeout === 'number' ? Math.min(Math.max(timeout, 0), TIMEOUT_MAX_MS) : undefined;
}
