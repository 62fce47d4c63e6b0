/** Reads the requests of a data-access template against the kinds of their endpoints. */
import { GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { type Kind, kindSpec, parseRequest } from '../../../proto/kinds/index.ts';
import { TimeoutMs } from '../../../proto/kinds/members.ts';
import { parse } from '../../http/parse.ts';
import type { Fault } from '../compiled.ts';
import type { DataAccessDefinition, RequestSort } from '../definition.ts';
import { type Fill, type Reader, readRequest } from './fill.ts';
import { type Placeholder, sampleOf } from './placeholder.ts';

/** Which kind an endpoint is of; undefined when there is none of that name. */
export type KindOf = (endpoint: string) => Kind | undefined;

/** One request of a template. */
export interface Operation {
  readonly endpoint: string;
  /** Where the endpoint is named in the definition. */
  readonly path: string;
  readonly level: 'Read' | 'Write' | 'Admin';
  readonly fill: Fill;
  readonly placeholders: readonly Placeholder[];
}

/** Most operations of one template, as of one transaction. Spec silent. */
const OPERATIONS_MAX = 1_000;

/** All requests of a template, or all its faults. */
export function readOperations(
  { request: sort, template }: DataAccessDefinition,
  kindOf: KindOf,
): { readonly operations: readonly Operation[]; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const isOne = sort === 'Read' || sort === 'Write';
  const found = isOne ? [{ request: template, at: 'template' }] : severalIn(sort, template, faults);
  const operations = found.flatMap(({ request, at }) => {
    const common = sort === 'Transaction' ? template.endpoint : undefined;
    return readOperation(
      sort,
      { ...request, ...(common === undefined ? {} : { endpoint: common }) },
      {
        at,
        path: sort === 'Transaction' ? 'template.endpoint' : `${at}.endpoint`,
        faults,
        kindOf,
      },
    );
  });
  return { operations, faults };
}

/** The operations of a transaction; what is wrong beside them is added to the faults. */
function severalIn(sort: RequestSort, template: JsonObject, faults: Fault[]) {
  const { operations, endpoint: _endpoint, timeout_ms: timeoutMs, ...others } = template;
  for (const member of Object.keys(others)) {
    faults.push({ path: `template.${member}`, message: 'is no member of a transaction' });
  }
  if (sort === 'TwoPhaseTransaction' && template.endpoint !== undefined) {
    faults.push({ path: 'template.endpoint', message: 'stands in each operation instead' });
  }
  if (timeoutMs !== undefined)
    addFaults(faults, 'template', () => parse(TimeoutMs, timeoutMs, 'timeout_ms'));
  if (!Array.isArray(operations) || operations.length < 1 || operations.length > OPERATIONS_MAX) {
    const message = `is a list of 1 to ${OPERATIONS_MAX} requests`;
    faults.push({ path: 'template.operations', message });
    return [];
  }
  return operations.flatMap((request, index) => {
    const at = `template.operations.${index}`;
    if (isJsonObject(request)) return [{ request, at }];
    faults.push({ path: at, message: 'is an object' });
    return [];
  });
}

/** Where a request stands, and where its faults go. */
interface Place {
  readonly at: string;
  readonly path: string;
  readonly faults: Fault[];
  readonly kindOf: KindOf;
}

function readOperation(
  sort: RequestSort,
  { endpoint, ...request }: JsonObject,
  { at, path, faults, kindOf }: Place,
): Operation[] {
  if (typeof endpoint !== 'string' || endpoint === '') {
    faults.push({ path, message: 'is required: the id or UUID of an endpoint' });
    return [];
  }
  const kind = kindOf(endpoint);
  if (kind === undefined) {
    faults.push({ path, message: `names no endpoint of the organization: ${endpoint}` });
    return [];
  }
  const { type } = request;
  const named = (
    typeof type === 'string' ? type : (kindSpec(kind).defaultType ?? '')
  ).toLowerCase();
  const reader: Reader = {
    kind,
    type: named,
    at,
    faults,
    placeholders: [],
    open: new Set(),
  };
  const before = faults.length;
  const fill = readRequest(reader, request);
  const level = faults.length > before ? 'Read' : levelOf(sort, reader, fill);
  return [{ endpoint, path, level, fill, placeholders: reader.placeholders }];
}

/** Tries the request with values that it might have. */
function levelOf(sort: RequestSort, reader: Reader, fill: Fill): Operation['level'] {
  const { kind, at, faults } = reader;
  const sample: Json = fill(sampleOf);
  try {
    const { request, mode } = parseRequest(kind, sample);
    if (sort === 'Read' && mode === 'write') {
      faults.push({
        path: `${at}.type`,
        message: 'writes: a template that writes has request Write',
      });
    }
    if (kindSpec(kind).needs?.(request) === 'Admin') return 'Admin';
  } catch (thrown) {
    for (const each of faultsOf(thrown)) {
      if (!isOpen(reader, each.path)) faults.push({ ...each, path: `${at}.${each.path}` });
    }
  }
  return sort === 'Read' ? 'Read' : 'Write';
}

/** Whether a value stands there, above or below: what is wrong with a sample is not the author's fault. */
function isOpen({ open }: Reader, path: string): boolean {
  return [...open].some(
    (each) => each === path || each.startsWith(`${path}.`) || path.startsWith(`${each}.`),
  );
}

function addFaults(faults: Fault[], at: string, check: () => unknown): void {
  try {
    check();
  } catch (thrown) {
    for (const each of faultsOf(thrown)) faults.push({ ...each, path: `${at}.${each.path}` });
  }
}

function faultsOf(thrown: unknown): Fault[] {
  if (!(thrown instanceof GatewayError)) throw thrown;
  const faults = thrown.details.flatMap((each): Fault[] =>
    'path' in each && typeof each.path === 'string' && typeof each.message === 'string'
      ? [{ path: each.path, message: each.message }]
      : [],
  );
  return faults.length > 0 ? faults : [{ path: 'type', message: thrown.message }];
}
