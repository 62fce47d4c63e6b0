/** Reads the requests of a data-access template against the kinds of their endpoints. */

import { type Kind, kindSpec, parseRequest } from '../../../kinds/index.ts';
import { requestIn } from '../../../kinds/passed.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json, JsonObject } from '../../../proto/json.ts';
import { orderedText, unordered } from '../../../proto/ordered-json.ts';
import { comparedName } from '../../shapes/ids.ts';
import type { Fault } from '../compiled.ts';
import type { DataAccessDefinition, RequestSort } from '../definition.ts';
import { readRequest } from './fill.ts';
import { type AuthoredRequest, operationsIn } from './layout.ts';
import type { Placeholder } from './placeholder.ts';
import type { Fill, Language, RequestReader } from './reader.ts';
import { SAMPLE } from './values.ts';

/** The kind of an endpoint; undefined when there is none of that name. */
export type KindOf = (endpoint: string) => Kind | undefined;

/** One request of a template. */
export interface Operation {
  readonly endpoint: string;
  readonly kind: Kind;
  /** Where the request is in the definition. */
  readonly at: string;
  /** Where the endpoint is named in the definition. */
  readonly path: string;
  readonly level: 'Read' | 'Write' | 'Admin';
  readonly fill: Fill;
  readonly placeholders: readonly Placeholder[];
}

/** All requests of a template, or all its faults. */
export function readOperations(
  { request: sort, template }: DataAccessDefinition,
  kindOf: KindOf,
): { readonly operations: readonly Operation[]; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const written = operationsIn(sort, template, faults);
  const operations = written.flatMap((each) => readOperation(sort, each, { faults, kindOf }));
  if (sort === 'TwoPhaseTransaction') checkParticipants(operations, faults);
  checkTypes(operations, faults);
  return { operations, faults };
}

interface OperationContext {
  readonly faults: Fault[];
  readonly kindOf: KindOf;
  readonly language?: Language;
}

/** One request of a template, or of anything else that makes requests in this way; none where it has faults. */
export function readOperation(
  sort: RequestSort,
  { endpoint, request: written, at, path }: AuthoredRequest,
  { faults, kindOf, language }: OperationContext,
): Operation[] {
  const kind = kindOf(endpoint);
  if (kind === undefined) {
    faults.push({ path, message: `names no endpoint of the organization: ${endpoint}` });
    return [];
  }
  const inTransaction = sort === 'Transaction' || sort === 'TwoPhaseTransaction';
  const { label, hasTransactions, watches = [], keepsText } = kindSpec(kind);
  // Only kinds that read it get what it reports beyond JSON.
  const request =
    keepsText === true ? written : (requestIn(kind, orderedText(written)).body as JsonObject);
  if (inTransaction && !hasTransactions) {
    faults.push({ path, message: `is of kind ${label}, which has no transactions` });
  }
  const type = typeOf(kind, request);
  const told = (message: string) => language?.told(message) ?? message;
  if (watches.includes(type)) {
    faults.push({ path: `${at}.type`, message: told('answers events: send it to /read') });
  }
  const placeholders: Placeholder[] = [];
  const open = new Set<string>();
  const found = { faults, placeholders, open };
  const reader: RequestReader = { kind, language, type, request, inTransaction, at, ...found };
  const before = faults.length;
  const fill = readRequest(reader);
  const level = faults.length > before ? 'Read' : levelOf(sort, reader, fill);
  return [{ endpoint, kind, at, path, level, fill, placeholders }];
}

function typeOf(kind: Kind, request: JsonObject): string {
  const { defaultType, impliedType } = kindSpec(kind);
  const type = request.type ?? defaultType ?? impliedType?.(request) ?? '';
  return typeof type === 'string' ? type.toLowerCase() : '';
}

const WRITES = 'writes: a template that writes has request Write';

/** Tries the request with sample values. */
function levelOf(sort: RequestSort, reader: RequestReader, fill: Fill): Operation['level'] {
  const { kind, at, faults, language } = reader;
  const sample: Json = fill(SAMPLE);
  try {
    const { request, mode } = parseRequest(kind, unordered(sample));
    if (sort === 'Read' && mode === 'write') {
      faults.push({
        path: `${at}.type`,
        message: language?.told(WRITES) ?? WRITES,
      });
    }
    if (kindSpec(kind).needs?.(request) === 'Admin') return 'Admin';
  } catch (thrown) {
    for (const each of requestFaults(thrown)) {
      if (isOpen(reader, each.path)) continue;
      faults.push({ ...each, path: each.path === 'body' ? at : `${at}.${each.path}` });
    }
  }
  return sort === 'Read' ? 'Read' : 'Write';
}

/** Whether the path, a part of it or something below it is a placeholder: a fault of its sample is not the author's. */
function isOpen({ open }: RequestReader, path: string): boolean {
  return [...open].some(
    (each) => each === path || each.startsWith(`${path}.`) || path.startsWith(`${each}.`),
  );
}

/** What is wrong with a request, as its reader says it. */
export function requestFaults(thrown: unknown): Fault[] {
  if (!(thrown instanceof GatewayError)) throw thrown;
  const faults = thrown.details.flatMap((each): Fault[] =>
    'path' in each && typeof each.path === 'string' && typeof each.message === 'string'
      ? [{ path: each.path, message: each.message }]
      : [],
  );
  return faults.length > 0 ? faults : [{ path: 'type', message: thrown.message }];
}

/** Kinds that can prepare a transaction. Contract §10. */
const PREPARE = new Set<Kind>(['postgres', 'mysql']);

/** At most one endpoint that cannot prepare may take part, and last. Contract §10. */
function checkParticipants(operations: readonly Operation[], faults: Fault[]): void {
  const last = operations.at(-1);
  const lastName = comparedName(last?.endpoint ?? '');
  for (const { kind, endpoint, path } of operations) {
    if (PREPARE.has(kind) || comparedName(endpoint) === lastName) continue;
    const { label } = kindSpec(kind);
    const message = `is of kind ${label}, which cannot prepare: one such endpoint may take part, and last`;
    faults.push({ path, message });
  }
}

/** A value is of one type, wherever it is. */
function checkTypes(operations: readonly Operation[], faults: Fault[]): void {
  const types = new Map<string, Placeholder['type']>();
  for (const { placeholders, at } of operations) {
    for (const { name, type } of placeholders) {
      if (type === 'any') continue;
      const known = types.get(name);
      if (known === undefined || known === type) types.set(name, type);
      else if (!isNumeric(known) || !isNumeric(type)) {
        faults.push({ path: at, message: `declares {{${name}}} as ${known} and as ${type}` });
      }
    }
  }
}

function isNumeric(type: Placeholder['type']): boolean {
  return type === 'number' || type === 'integer';
}
