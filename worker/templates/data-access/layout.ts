/** Where the requests of a data-access template are in it, and which endpoint each of them is for. Contract §8. */

import { TimeoutMs } from '../../../kinds/members.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { unordered } from '../../../proto/ordered-json.ts';
import { IN_OUR_WORDS } from '../../../proto/schema-faults.ts';
import { comparedName } from '../../shapes/ids.ts';
import type { Fault } from '../compiled.ts';
import type { RequestSort } from '../definition.ts';

/** A request as its author wrote it. */
export interface AuthoredRequest {
  readonly endpoint: string;
  readonly request: JsonObject;
  /** Where it is in the definition. */
  readonly at: string;
  /** Where its endpoint is named. */
  readonly path: string;
}

/** Most operations of one template, as of one transaction. Spec silent. */
const OPERATIONS_MAX = 1_000;

/** All requests; what is wrong around them is added to the faults. */
export function operationsIn(
  sort: RequestSort,
  template: JsonObject,
  faults: Fault[],
): AuthoredRequest[] {
  if (sort === 'Read' || sort === 'Write') return requestWithEndpoint(template, 'template', faults);
  const { operations, endpoint, timeout_ms: timeoutMs, ...others } = template;
  for (const member of Object.keys(others)) {
    faults.push({ path: `template.${member}`, message: 'is no member of a transaction' });
  }
  checkTimeout(timeoutMs, faults);
  if (!Array.isArray(operations) || operations.length < 1 || operations.length > OPERATIONS_MAX) {
    const message = `must be a list of 1 to ${OPERATIONS_MAX} requests`;
    faults.push({ path: 'template.operations', message });
    return [];
  }
  if (sort === 'TwoPhaseTransaction') {
    if (endpoint !== undefined) {
      faults.push({ path: 'template.endpoint', message: 'stands in each operation instead' });
    }
    return operations.flatMap((each, index) =>
      requestWithEndpoint(each, `template.operations.${index}`, faults),
    );
  }
  return ofOneEndpoint(operations, endpoint, faults);
}

/** Operations of one endpoint, which the first of them names where the template does not. */
function ofOneEndpoint(
  operations: readonly Json[],
  endpoint: Json | undefined,
  faults: Fault[],
): AuthoredRequest[] {
  const first = operations.find(isJsonObject)?.endpoint;
  const common = endpoint ?? first;
  const path = endpoint === undefined ? 'template.operations.0.endpoint' : 'template.endpoint';
  if (typeof common !== 'string' || common === '') {
    faults.push({ path: 'template.endpoint', message: REQUIRED });
    return [];
  }
  return operations.flatMap((each, index) => {
    const at = `template.operations.${index}`;
    if (!isJsonObject(each)) return notAnObject(at, faults);
    const { endpoint: own = common, ...request } = each;
    const isSame = typeof own === 'string' && comparedName(own) === comparedName(common);
    if (!isSame) {
      const message = `is another one than ${common}: a TwoPhaseTransaction spans several`;
      faults.push({ path: `${at}.endpoint`, message });
    }
    return [{ endpoint: common, path, ...unwrapped(request, at) }];
  });
}

/** A request that names its endpoint. */
function requestWithEndpoint(value: Json, at: string, faults: Fault[]): AuthoredRequest[] {
  if (!isJsonObject(value)) return notAnObject(at, faults);
  const { endpoint, ...request } = value;
  const path = `${at}.endpoint`;
  if (typeof endpoint === 'string' && endpoint !== '') {
    return [{ endpoint, path, ...unwrapped(request, at) }];
  }
  faults.push({ path, message: REQUIRED });
  return [];
}

/** A request may be in a member of its own, as in the body of a request to an endpoint. */
export function unwrapped(
  written: JsonObject,
  at: string,
): Pick<AuthoredRequest, 'request' | 'at'> {
  const { request, ...others } = written;
  const isWrapped = isJsonObject(request) && Object.keys(others).length === 0;
  return isWrapped ? { request, at: `${at}.request` } : { request: written, at };
}

function notAnObject(at: string, faults: Fault[]): [] {
  faults.push({ path: at, message: 'must be an object' });
  return [];
}

const REQUIRED = 'is required: the id or UUID of an endpoint';

function checkTimeout(value: Json | undefined, faults: Fault[]): void {
  const parsed = TimeoutMs.safeParse(value === undefined ? value : unordered(value), IN_OUR_WORDS);
  if (parsed.success) return;
  const message = parsed.error.issues[0]?.message ?? 'is not valid';
  faults.push({ path: 'template.timeout_ms', message });
}
