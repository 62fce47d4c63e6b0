/** What of a request a kind only passes on: it arrives there as its client wrote it. */
import { isJsonObject, type Json, setMember } from '../proto/json.ts';
import { type Passes, passedIn } from '../proto/passed.ts';
import { type Kind, kindSpec } from './index.ts';

/** Where a request, or those of a transaction, may stand within a body. */
const AROUND = ['request', 'operations'];
/** It is a number, however it is written. */
const DEADLINE = 'timeout_ms';

/**
 * The body with what its kind only passes on as it was written.
 * @param plain of `parseJson` @param written the same text, of `parseWritten`
 */
export function withPassed(kind: Kind, plain: Json, written: Json): Json {
  const { passes } = kindSpec(kind);
  return passes === undefined ? plain : requestsIn(plain, written, passes);
}

function requestsIn(plain: Json, written: Json, passes: Passes): Json {
  if (Array.isArray(plain) && Array.isArray(written)) {
    return plain.map((each, at) => requestsIn(each, written[at] ?? null, passes));
  }
  const request = passedIn(plain, written, passes);
  if (!isJsonObject(plain) || !isJsonObject(written) || !isJsonObject(request)) return request;
  for (const name of AROUND) {
    const inner = plain[name];
    if (inner !== undefined)
      setMember(request, name, requestsIn(inner, written[name] ?? null, passes));
  }
  if (plain[DEADLINE] !== undefined) request[DEADLINE] = plain[DEADLINE];
  return request;
}
