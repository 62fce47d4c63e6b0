/** Reads large requests and transactions for endpoints of relays, by the code that reads small ones at the edge. */
import { isKind, type Kind, parseRequest } from '../../kinds/index.ts';
import { JsonValue } from '../../kinds/members.ts';
import type { Json, JsonObject } from '../../proto/json.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import {
  type Exact,
  exactInPieces,
  type Gist,
  gistOf,
  isReadByRelays,
  textInPieces,
} from '../../worker/calls/read-request.ts';
import {
  operationsOf,
  type ReadTransaction,
  TransactionBody,
  timeoutOf,
} from '../../worker/calls/read-transaction.ts';
import type { BodyJob } from './body-job.ts';

/** A request: told is its gist, the bytes are what travels where that is not the body itself. */
export function requestWork(name: string): BodyJob {
  const kind = kindOf(name);
  return {
    body: { body: JsonValue },
    toldOfFailure: {},
    *make(body, bytes) {
      const exact = yield* exactForRelay(kind, body as Json, bytes); // Of that schema.
      yield;
      const { request, ...gist } = gistOf(kind, parseRequest(kind, exact.body));
      yield;
      const { type, timeout_ms } = request;
      const told: Gist = { ...gist, request: { type, timeout_ms } };
      const travels = isReadByRelays(kind) ? new Uint8Array() : yield* textInPieces(request);
      return { told: toldAs(told), bytes: travels };
    },
  };
}

/** A transaction, too. */
export function transactionWork(name: string): BodyJob {
  const kind = kindOf(name);
  return {
    body: { body: TransactionBody },
    toldOfFailure: { operations: [] },
    *make(body, bytes) {
      const { timeout_ms: asked } = body as TransactionBody; // Of that schema.
      const exact = yield* exactForRelay(kind, body as Json, bytes);
      yield;
      const { requests, needs } = operationsOf(kind, (exact.body as TransactionBody).operations);
      yield;
      const timeoutMs = asked ?? timeoutOf(requests);
      // A transaction without operations, as its `Idempotency-Key` is kept by.
      const told: ReadTransaction & TransactionBody = {
        needs,
        timeoutMs,
        timeout_ms: timeoutMs,
        operations: [],
      };
      const travels = isReadByRelays(kind) ? new Uint8Array() : yield* textInPieces(requests);
      return { told: toldAs(told), bytes: travels };
    },
  };
}

function* exactForRelay(kind: Kind, body: Json, bytes: Uint8Array): Pieces<Exact> {
  return isReadByRelays(kind) ? { body } : yield* exactInPieces(kind, body, bytes);
}

function kindOf(name: string): Kind {
  if (!isKind(name)) throw new Error('The gateway named no kind');
  return name;
}

/** An object of ours, as JSON has it. */
function toldAs(told: object): JsonObject {
  return told as JsonObject;
}
