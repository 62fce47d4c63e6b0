/** What of a request a kind only passes on: it arrives there as its client wrote it. */
import { isJsonObject, type Json, type JsonObject, parseJson, setMember } from '../proto/json.ts';
import { memberOf, type Passes, passedOf } from '../proto/passed.ts';
import { parseAsWritten } from '../proto/written-json.ts';
import { type Kind, kindSpec } from './index.ts';

/** Where a request, or those of a transaction, may be within a body. */
const AROUND = ['request', 'operations'];
/** It is a number, however it is written. */
const DEADLINE = 'timeout_ms';

/** A request, or those of a transaction, as read from a text. */
interface ReadBody {
  /** What the kind only passes on is as it was written, all else as `parseJson` reads it. */
  readonly body: Json;
  /** Whether something of that would be lost by `JSON.stringify`. */
  readonly isWritten: boolean;
}

/** Reads a request of a kind. @throws SyntaxError, GatewayError BAD_REQUEST for what nests deeper than `DEPTH_MAX` */
export function requestIn(kind: Kind, text: string): ReadBody {
  return withWritten(kind, parseJson(text), text);
}

/** As `requestIn`, where the text was parsed already. */
export function withWritten(kind: Kind, plain: Json, text: string): ReadBody {
  const written = kindSpec(kind).passes === undefined ? plain : parseAsWritten(text, plain);
  return { body: withPassed(kind, plain, written), isWritten: written !== plain };
}

/**
 * The body with what its kind only passes on as it was written.
 * @param plain of `parseJson` @param written the same text, of `parseAsWritten`
 */
export function withPassed(kind: Kind, plain: Json, written: Json): Json {
  const { passes } = kindSpec(kind);
  return passes === undefined || written === plain ? plain : ofWritten(kind, written);
}

/** As `withPassed`, of what `parseWritten` made alone: a large text is then in memory once. */
export function ofWritten(kind: Kind, written: Json): Json {
  return requestsOf(written, kindSpec(kind).passes ?? []);
}

function requestsOf(written: Json, passes: Passes): Json {
  if (Array.isArray(written)) return written.map((each) => requestsOf(each, passes));
  if (!isJsonObject(written)) return passedOf(written, []);
  const request: JsonObject = {};
  for (const [name, value] of Object.entries(written)) {
    const own = () => memberOf(name, value, name === DEADLINE ? [] : passes);
    setMember(request, name, AROUND.includes(name) ? requestsOf(value, passes) : own());
  }
  return request;
}
