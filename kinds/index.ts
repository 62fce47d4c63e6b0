/** Registry of endpoint kinds: adding a kind starts with a row here. */
import type { Mode } from '../proto/driver.ts';
import { badRequest, GatewayError } from '../proto/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../proto/json.ts';
import { hintFor } from '../proto/near-name.ts';
import { namesOf } from '../proto/ordered-json.ts';
import { faultsOf, IN_OUR_WORDS } from '../proto/schema-faults.ts';
import { truncated } from '../proto/truncate.ts';
import { cassandra } from './cassandra/index.ts';
import { clickhouse } from './clickhouse/index.ts';
import { http } from './http/index.ts';
import type { KindSpec, RequestBase } from './kind.ts';
import { mongo } from './mongo/index.ts';
import { mysql } from './mysql/index.ts';
import { pinecone } from './pinecone/index.ts';
import { postgres } from './postgres/index.ts';
import { redis } from './redis/index.ts';

/** The kinds. Spec: "Endpoint", create body, member `kind`. */
export const kinds = {
  postgres,
  mysql,
  mongo,
  clickhouse,
  cassandra,
  pinecone,
  http,
  redis,
} satisfies Record<string, KindSpec>;
export type Kind = keyof typeof kinds;

/** Their names, in the specification's order. */
export const SPECIFIED_KINDS = [
  'postgres',
  'mysql',
  'mongo',
  'redis',
  'cassandra',
  'clickhouse',
  'pinecone',
  'http',
] as const;

/** Narrows text to a kind's name as it is stored. */
export function isKind(value: string): value is Kind {
  return Object.hasOwn(kinds, value);
}

/** The kind that input means, in any letter case and by its usual aliases. Contract: "Kind". */
export function kindNamed(input: string): Kind | undefined {
  const name = input.toLowerCase();
  if (isKind(name)) return name;
  return (Object.keys(kinds) as Kind[]).find((kind) =>
    (kinds[kind].aliases as readonly string[]).includes(name),
  );
}

/** The kind's specification, whichever kind it is. */
export function kindSpec(kind: Kind): KindSpec {
  return kinds[kind];
}

/** A parsed request and whether its type writes by itself. */
export interface ParsedRequest {
  readonly request: RequestBase;
  readonly mode: Mode;
}

/**
 * Reads an endpoint API request: unwraps `{request}`, compares `kind`, finds `type` in any
 * letter case, refuses members that the type does not have.
 * @throws GatewayError BAD_REQUEST, NOT_SUPPORTED for a type that cannot be called
 */
export function parseRequest(kind: Kind, body: Json | undefined): ParsedRequest {
  const spec = kindSpec(kind);
  const request = unwrap(spec, body);
  demandFew(request);
  const { type, ...members } = namedType(spec, request);
  const mode = spec.types[type];
  if (mode === undefined && !spec.takesAnyType) throw unknownType(spec, type);
  if (members.kind !== undefined) {
    const named = typeof members.kind === 'string' ? kindNamed(members.kind) : undefined;
    if (named !== kind) {
      throw badRequest('kind', `expected ${spec.label}`, `This endpoint is of kind ${spec.label}`);
    }
    delete members.kind;
  }
  const parsed = spec.request.safeParse({ ...members, type }, IN_OUR_WORDS);
  if (parsed.success) {
    return { request: parsed.data, mode: spec.modeOf?.(parsed.data) ?? mode ?? 'write' };
  }
  const details = faultsOf(parsed.error, 'body');
  const first = details[0];
  throw new GatewayError('BAD_REQUEST', first ? `${first.path}: ${first.message}` : 'Bad request', {
    details,
  });
}

/** Members of a request: of none are there as many. Its values may have any number. Spec silent. */
const MEMBERS_MAX = 1_000;

/** To copy very many members and to compare each with those that are known would take seconds. @throws GatewayError BAD_REQUEST */
function demandFew(request: JsonObject): void {
  const { length } = namesOf(request);
  if (length <= MEMBERS_MAX) return;
  throw badRequest('body', `has ${length} members: a request has ${MEMBERS_MAX} at most`);
}

function unwrap(spec: KindSpec, body: Json | undefined): { [member: string]: Json } {
  if (isJsonObject(body) && isJsonObject(body.request) && namesOf(body).length === 1) {
    return body.request;
  }
  if (isJsonObject(body)) return body;
  throw notAnObject(spec);
}

/** Where a request is none. */
export function notAnObject({ defaultType }: Pick<KindSpec, 'defaultType'>): GatewayError {
  let members = '`type` and its members';
  if (defaultType === 'query') members = '`query`, such as {"query": "SELECT 1"}';
  else if (defaultType !== undefined) members = 'the members of a request';
  return badRequest('body', 'not an object', `The body is a JSON object with ${members}`);
}

function namedType(
  spec: KindSpec,
  body: { [member: string]: Json },
): { type: string; [member: string]: Json } {
  const { type = spec.defaultType ?? spec.impliedType?.(body) } = body;
  if (type === undefined) throw badRequest('type', `is required${sampleType(spec)}`);
  if (typeof type !== 'string') throw badRequest('type', 'must be text');
  return { ...body, type: type.toLowerCase() };
}

/** Types that a request without one is told of, of kinds that have no default. */
const SAMPLES = ['get', 'find', 'query'];

function sampleType({ types }: KindSpec): string {
  const sample = SAMPLES.find((type) => Object.hasOwn(types, type));
  return sample === undefined ? '' : `, such as ${sample}`;
}

/** Characters of a wrong name that are told. */
const NAME_MAX = 100;

function unknownType(spec: KindSpec, type: string): GatewayError {
  if (spec.notCallable.includes(type)) {
    return new GatewayError(
      'NOT_SUPPORTED',
      `${spec.label} requests of type ${type} cannot be called`,
    );
  }
  const name = truncated(type, NAME_MAX);
  const problem = `${JSON.stringify(name)} is not known; ${hintFor(name, Object.keys(spec.types))}`;
  return badRequest('type', problem);
}
