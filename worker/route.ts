/** Declares an operation of the API as data; worker/http/run.ts runs it. */
import * as z from 'zod';
import type { BodyWork } from '../proto/body-work.ts';
import type { ErrorCode, GatewayError } from '../proto/errors.ts';
import type { Json } from '../proto/json.ts';
import type { Pieces } from '../proto/work/pieces.ts';
import type { Access, Authorized } from './access/access.ts';
import type { Context, PublicContext } from './context.ts';
import type { Given, IdempotencyRule, Key } from './idempotency/rule.ts';
import type { Worked } from './limits/json-worker.ts';
import type { Relief } from './limits/quotas/audit.ts';
import type { Outcome, Result } from './outcome.ts';
import type { IfMatch } from './revision.ts';
import type { Tag } from './shapes/tags.ts';

/** Media types of replies in pieces: a JSON a line, CSV, and server-sent events. */
type StreamType = 'application/x-ndjson' | 'text/csv' | 'text/event-stream';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * What a call may change. Every change of the organization's metadata is in force for the next
 * request, so what the isolate remembers of it is forgotten; `installation` forgets everything.
 */
export type Changes = 'nothing' | 'backend' | 'organization' | 'installation';

/** Another product's protocol, spoken next to the API. Contract: "Base path", "Errors". */
export interface Facade {
  /** What is done, as audit entries name it. */
  readonly action: string;
  /** An error in the form of that product; the status is ours. @param requestId of the request that is refused */
  errorBody(failure: GatewayError, requestId: string): Json;
  /** Whether the handler reads the query string by itself: names may come more than once. */
  readonly readsQuery?: true;
  /** Bodies that it takes by their media types, for the API's description. */
  readonly bodies: Readonly<Record<string, z.ZodType>>;
}

/** What is known of a request before its body is read. */
export interface Asking {
  readonly url: string;
  /** As the header says it; null without one. */
  readonly authorization: string | null;
  /** What the path names. */
  readonly params: Readonly<Record<string, string>>;
  /** Null where there is none of that name. */
  header(name: string): string | null;
}

/** One operation of the API. A route without `access` does not compile. */
interface Route<Params, Query, Body, Resource> {
  /** Where the specification lists two, both serve alike. */
  readonly method: Method | readonly Method[];
  /** Below /api/v1, parameters as `:name`; where the specification lists two, both serve alike. */
  readonly path: string | readonly string[];
  /**
   * Of routes that speak another product's protocol: `path` is whole, bodies are of any type, and
   * the handler's `body` is the request, which it reads by itself.
   */
  readonly facade?: Facade;
  readonly summary: string;
  /** What the summary leaves out: one or more sentences in CommonMark. */
  readonly description: string;
  readonly tag: Tag;
  /** What it can answer beyond the errors that follow from the rest: worker/openapi/errors.ts. */
  readonly errors: readonly ErrorCode[];
  /** What a public operation may bring instead of a token: a user's password, or the installation's own token. */
  readonly credentials?: 'basic' | 'installation';
  /** Headers that its handler reads, for the description. */
  readonly headers?: z.ZodObject;
  /** What it answers piece by piece when `Accept` asks for it: of each media type, one piece. */
  readonly streams?: Readonly<Partial<Record<StreamType, z.ZodType>>>;
  /** Whether it answers with 101, and the connection is a WebSocket from then on. */
  readonly upgrades?: true;
  /** Bytes of a body, where they differ from those of other operations: `callers` takes from a stranger what callers may send. */
  readonly maxBytes?: number | 'callers';
  readonly access: Access<Params, Resource>;
  /** Refuses before the body is read: by the caller's address, or by a token of the installation. */
  admit?(ctx: PublicContext, asked: Asking): Promise<void>;
  readonly changes: Changes;
  /** How a change helps out of a full audit, by its body; a DELETE does without saying so. */
  relief?(body: Body): Relief | undefined;
  readonly params: z.ZodType<Params>;
  /** Members of the query string; others are refused. */
  readonly query: z.ZodType<Query>;
  /** `NoBody` where the operation takes none. */
  readonly body: z.ZodType<Body>;
  /** Refuses a large body by its bytes, before it is parsed. */
  weigh?(bytes: Uint8Array): Pieces<void>;
  /**
   * What a process next to the gateway can do on a large body, so that its value is never made here;
   * then the handler is given what came of it. `undefined` where this one has to be read here.
   */
  elsewhere?(resource: Resource): BodyWork | undefined;
  /** Whether numbers and members of the body are those that were written, and of the reply, too. */
  readonly asWritten?: true;
  /**
   * On a resource that has an ETag: GET answers it and honours `If-None-Match` (304), PATCH answers
   * the new one, and every method honours `If-Match` (412). Other operations refuse `If-Match`.
   */
  readonly conditional?: true;
  /**
   * Whether `X-Transaction-Id` lets it take part in a transaction, which its failure rolls back; `steers` is about
   * transactions itself. What else changes backends refuses the header: its effect would stay when that is rolled back.
   */
  readonly joins?: true | 'steers';
  /** What `Idempotency-Key` does on POST and PATCH: honoured when left out. */
  readonly idempotency: IdempotencyRule<Body>;
  /** `data` wraps the result as `{status: 'success', data}`; which is which follows the spec. */
  readonly reply: 'bare' | 'data';
  /** The result's shape, without the envelope. */
  readonly result: z.ZodType;
  /** What it answers with 202 when the work goes on after the reply, where it may. */
  readonly accepted?: z.ZodType;
  /**
   * Parameters of other operations that its result names, each with where it is there as a JSON
   * Pointer: the description links to what they can be sent to. Of what is answered with 202 where that is declared.
   */
  readonly names?: Readonly<Record<string, string>>;
  handle(ctx: Context, input: Input<Params, Query, Body, Resource>): Promise<Reply>;
}

/** What a handler answers: a result, or the outcome of a call that it makes. */
export type Reply = Result | Outcome;

/** What a handler is given besides its context. */
export interface Input<Params, Query, Body, Resource> extends Authorized<Resource>, Given {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The body as it was sent, where there is one. */
  readonly bytes: Uint8Array | undefined;
  /** What came of a large body where `elsewhere` was done: then `body` is no value of it. */
  readonly worked?: Worked | undefined;
  /** An `Idempotency-Key`, where the operation itself or its backend remembers what it answered. */
  readonly key?: Key | undefined;
  /** Which revisions of the resource the request is held to; `undefined` when to none. */
  readonly ifMatch: IfMatch | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of routes has no one type; each was checked by `route`.
export type AnyRoute = Route<any, any, any, any>;

/** No parameters in the path, or none in the query string. */
const Nothing = z.strictObject({});
const bodiless = new WeakSet<z.ZodType>();

function isNothing(body: unknown): boolean {
  if (body === undefined) return true;
  return (
    typeof body === 'object' &&
    body !== null &&
    !Array.isArray(body) &&
    Object.keys(body).length === 0
  );
}

/** No body; an empty object counts as none. @param error the message for any other */
export function noBody(error: string) {
  const schema = z.custom<undefined>(isNothing, error);
  bodiless.add(schema);
  return schema;
}

/** Of an operation that takes no body. */
const NoBody = noBody('this operation takes no body');

/** Whether an operation takes no body. */
export function takesNoBody({ body }: Pick<AnyRoute, 'body'>): boolean {
  return bodiless.has(body);
}

/** What a declaration may leave out: no parameters, no query, no body. */
type Declared<Params, Query, Body, Resource> = Omit<
  Route<Params, Query, Body, Resource>,
  'params' | 'query' | 'body' | 'idempotency'
> &
  Partial<Pick<Route<Params, Query, Body, Resource>, 'params' | 'query' | 'body' | 'idempotency'>>;

/** Checks a declaration and fills in what it left out. */
export function route<
  Params = Record<string, never>,
  Query = Record<string, never>,
  Body = undefined,
  Resource = undefined,
>(declared: Declared<Params, Query, Body, Resource>): AnyRoute {
  return { params: Nothing, query: Nothing, body: NoBody, idempotency: {}, ...declared };
}

/** A route that carries no token: its handler has no caller. */
export function publicRoute<
  Params = Record<string, never>,
  Query = Record<string, never>,
  Body = undefined,
>(
  declared: Omit<Declared<Params, Query, Body, undefined>, 'handle'> & {
    handle(ctx: PublicContext, input: Input<Params, Query, Body, undefined>): Promise<Reply>;
  },
): AnyRoute {
  return { params: Nothing, query: Nothing, body: NoBody, idempotency: {}, ...declared };
}

/** The methods of a route. */
export function methodsOf({ method }: AnyRoute): readonly Method[] {
  return typeof method === 'string' ? [method] : method;
}

/** The paths of a route. */
export function pathsOf({ path }: AnyRoute): readonly string[] {
  return typeof path === 'string' ? [path] : path;
}
