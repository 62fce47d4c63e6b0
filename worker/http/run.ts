/** Answers requests: finds the route, turns the request into a call of its operation, and the outcome into a reply. */

import type { Hono, Context as HonoContext } from 'hono';
import { METHOD_NAME_ALL } from 'hono/router';
import type * as z from 'zod';
import { badRequest, GatewayError } from '../../proto/errors.ts';
import type { Authorized } from '../access/access.ts';
import { authenticate } from '../access/authenticate.ts';
import { recordDenial } from '../audit/denial.ts';
import { type CallInput, call } from '../calls/call.ts';
import { abandonBy, TRANSACTION_HEADER } from '../calls/transactions/interactive.ts';
import {
  type Bindings,
  type Context,
  type Outside,
  openContext,
  type PublicContext,
} from '../context.ts';
import { type Given, keyedBy } from '../idempotency/rule.ts';
import { arrived, giveBack, inPieces, isLarge, isLight } from '../limits/heavy-work.ts';
import { workElsewhere } from '../limits/json-worker.ts';
import { failureOf, Outcome } from '../outcome.ts';
import { BASE_PATH } from '../public-url.ts';
import { type AnyRoute, type Facade, methodsOf, pathsOf } from '../route.ts';
import { type Settings, settingsOf } from '../settings.ts';
import { parse } from '../shapes/parse.ts';
import { startTrace } from '../tracing.ts';
import { demandAcceptable, formsOf } from './accept.ts';
import { addressOf } from './address.ts';
import {
  type BodyLimits,
  bodyLimits,
  checkBodyHeaders,
  parseBody,
  parseBodyAsWritten,
} from './body.ts';
import { discardBody, readBody } from './body-bytes.ts';
import { checkedInPieces } from './checked-body.ts';
import { ifMatchOf } from './conditional.ts';
import { nearPath } from './near-path.ts';
import { requestIdOf } from './request-id.ts';
import { noteForLog, type RequestNote } from './request-log.ts';
import { respond, respondToError } from './respond.ts';
import { PathRouter } from './router.ts';

export type App = Hono<{ Bindings: Bindings }>;

/** One of a route's paths from the root; a facade's is next to the API. */
export function wholePath({ facade }: AnyRoute, path: string): string {
  return facade ? path : BASE_PATH + path;
}

/** What a path serves. */
interface Served {
  readonly allowed: readonly string[];
  readonly facade?: Facade;
}

/** Adds routes to the app; other methods on their paths are 405, other paths 404. */
export function mount(app: App, routes: readonly AnyRoute[], outside: Outside): void {
  const served = new Map<string, Served>();
  for (const each of routes) {
    const { facade } = each;
    for (const path of pathsOf(each)) {
      const whole = wholePath(each, path);
      app.on([...methodsOf(each)], whole, (c) => answer(c, each, outside, whole));
      const allowed = [...(served.get(whole)?.allowed ?? []), ...methodsOf(each)];
      served.set(whole, { allowed, ...(facade ? { facade } : {}) });
    }
  }
  // Next to the app: as a second handler of each path they would cost every request that has a route.
  const paths = new PathRouter<Served>();
  for (const [path, each] of served) paths.add(METHOD_NAME_ALL, path, each);
  app.notFound((c) => {
    const [found] = paths.match(METHOD_NAME_ALL, c.req.path)[0];
    if (found) return refuseMethod(c, found[0].allowed, found[0].facade);
    const isServed = (path: string) => paths.match(METHOD_NAME_ALL, path)[0].length > 0;
    const { path } = c.req;
    const meant =
      [BASE_PATH + path, path.endsWith('/') ? path.slice(0, -1) : `${path}s`].find(isServed) ??
      nearPath(path, served.keys()) ??
      nearPath(BASE_PATH + path, served.keys());
    const hint = meant === undefined ? 'see /docs' : `did you mean ${meant}?`;
    return refuse(c, new GatewayError('NOT_FOUND', `There is nothing at ${path}: ${hint}`));
  });
  app.onError((thrown, c) => refuse(c, thrown));
}

async function answer(
  c: HonoContext<{ Bindings: Bindings }>,
  each: AnyRoute,
  outside: Outside,
  route: string,
): Promise<Response> {
  const request = c.req.raw;
  const settings = settingsOf(c.env);
  const open = openContext({
    signal: request.signal,
    env: c.env,
    outside,
    requestId: requestIdOf(request.headers),
    address: addressOf(request.headers, settings.PEER),
    trace: startTrace(settings, (name) => request.headers.get(name)),
    waitUntil: (work) => c.executionCtx.waitUntil(work),
  });
  arrived(open);
  const params = c.req.param();
  // What such a path holds after its beginning may be a tenant's data: it is not for the log.
  const [path = ''] = each.facade ? pathsOf(each) : [c.req.path];
  const note: RequestNote = {
    requestId: open.requestId,
    path: each.facade ? path : undefined,
    endpoint: params.endpoint,
    route,
    trace: open.trace,
  };
  noteForLog(request, note);
  const answering = callRoute(open, each, params, request, note).then(async (outcome) => {
    note.timing = outcome.timing;
    try {
      return respond(outcome, each, request, open);
    } catch (thrown) {
      note.code = failureOf(thrown).code;
      const told = { ...outcome, requestId: open.requestId, signal: open.signal };
      const response = respondToError(thrown, told, path, each.facade);
      await discardBody(open, request, limitsOf(each, settings));
      return response;
    }
  });
  // Else the runtime ends it when its client goes, and its place would be taken for a while.
  if (isLarge(Number(request.headers.get('Content-Length')))) open.afterReply(answering);
  return answering;
}

/** Calls the operation of a request; refuses before what can be refused without it. */
async function callRoute(
  open: PublicContext,
  each: AnyRoute,
  names: Readonly<Record<string, string>>,
  request: Request,
  note: RequestNote,
): Promise<Outcome> {
  let ctx = open as Context; // Of a public operation, which has no caller.
  try {
    checkBodyHeaders(request, limitsOf(each, open.settings).maxBytes, each.facade ? 'any' : 'json');
    await each.admit?.(open, {
      url: request.url,
      authorization: request.headers.get('Authorization'),
      params: names,
      header: (name) => request.headers.get(name),
    });
    if (each.access.level !== 'Public') {
      const caller = await authenticate(open, request.headers.get('Authorization'));
      ctx = { ...open, caller };
      note.user = caller.userId;
      note.organization = caller.orgId;
    }
  } catch (thrown) {
    const failure = failureOf(thrown);
    recordDenial(open, each, names, { result: failure, demands: [] });
    return new Outcome(failure);
  }
  const outcome = await call(ctx, each, names, (authorized) =>
    given(ctx, each, request, authorized),
  );
  return abandonWith(ctx, each, request, outcome);
}

/** A request that fails rolls the transaction back that it names, and is told where something else has done so before. */
async function abandonWith(
  ctx: Context,
  { joins }: AnyRoute,
  { headers }: Request,
  outcome: Outcome,
): Promise<Outcome> {
  const { result } = outcome;
  const id = headers.get(TRANSACTION_HEADER);
  if (joins !== true || id === null || !(result instanceof GatewayError)) return outcome;
  const closed = await abandonBy(ctx, id, result);
  return closed ? outcome.with(closed) : outcome;
}

/** What a request brings to its operation. @throws GatewayError as its parts are refused */
async function given(
  ctx: Context,
  each: AnyRoute,
  request: Request,
  { resource }: Authorized<unknown>,
): Promise<CallInput> {
  if (!each.facade) {
    demandAcceptable(request, each);
    refuseTransaction(request, each);
  }
  const query: unknown = queryOf(request, each);
  const ifMatch = ifMatchOf(request, each);
  const header = (name: string) => request.headers.get(name) ?? undefined;
  const asked = { header, forms: formsOf(request, each.facade === undefined) };
  const keyed = keyOf(request, each, asked, resource);
  return { query, ifMatch, ...asked, keyed, ...(await bodyOf(ctx, each, request, resource)) };
}

/** @throws GatewayError BAD_REQUEST where an effect would be no part of the transaction that the request names */
function refuseTransaction({ headers }: Request, { joins, changes }: AnyRoute): void {
  if (joins !== undefined || changes !== 'backend' || !headers.has(TRANSACTION_HEADER)) return;
  const problem =
    'is not for this operation: what it does would stay when the transaction is rolled back';
  throw badRequest(TRANSACTION_HEADER, problem);
}

/** Beyond POST and PATCH a key is ignored: those methods are idempotent. Spec silent. */
function keyOf(
  { headers, method, url }: Request,
  { idempotency }: AnyRoute,
  asked: Given,
  resource: unknown,
) {
  const key = headers.get('Idempotency-Key');
  if (key === null || (method !== 'POST' && method !== 'PATCH')) return undefined;
  const { pathname, search } = new URL(url);
  return keyedBy({ key, target: [method, pathname + search] }, idempotency, asked, resource);
}

function limitsOf({ access, maxBytes }: AnyRoute, settings: Settings): BodyLimits {
  const limits = bodyLimits(settings, access.level === 'Public');
  if (maxBytes === undefined) return limits;
  return { ...limits, maxBytes: maxBytes === 'callers' ? settings.BODY_MAX_BYTES : maxBytes };
}

/**
 * The body, read and checked: a light one at once, a large one elsewhere where that can be.
 * @throws GatewayError PAYLOAD_TOO_LARGE, BAD_REQUEST, SERVICE_UNAVAILABLE
 */
async function bodyOf(ctx: Context, each: AnyRoute, request: Request, resource: unknown) {
  const arrived = await readBody(ctx, request, limitsOf(each, ctx.settings));
  const { bytes, place } = arrived;
  try {
    if (each.facade) return { ...arrived, body: request };
    if (bytes === undefined || isLight(bytes)) {
      const read = each.asWritten ? parseBodyAsWritten : parseBody;
      return { bytes, body: parse<unknown>(each.body, read(bytes), 'body') };
    }
    const work = isLarge(bytes.byteLength) ? each.elsewhere?.(resource) : undefined;
    if (work && ctx.env.JSON_WORKER) {
      const worked = await workElsewhere(ctx, ctx.env.JSON_WORKER, { work, bytes, place });
      return { ...arrived, body: worked.told, worked };
    }
    const pieces = checkedInPieces(each, bytes);
    return { ...arrived, body: await inPieces(ctx, pieces, { place, isLarge: true }) };
  } catch (thrown) {
    giveBack(place);
    throw thrown;
  }
}

/** What schemas make of no query string: most requests bring none. */
const withoutQuery = new WeakMap<z.ZodType, unknown>();

/** Each parameter once: none of two is passed over. @throws GatewayError BAD_REQUEST */
function membersOf(given: URLSearchParams): object {
  const members = Object.fromEntries(given);
  if (given.size === Object.keys(members).length) return members;
  const twice = [...new Set(given.keys())].filter((name) => given.getAll(name).length > 1);
  const details = twice.map((path) => ({ path, message: 'is given more than once' }));
  throw new GatewayError('BAD_REQUEST', `${twice[0]}: is given more than once`, { details });
}

function queryOf({ url }: Request, { query: schema, facade }: AnyRoute): unknown {
  const at = url.indexOf('?');
  if (at >= 0 && !facade?.readsQuery) {
    return parse(schema, membersOf(new URLSearchParams(url.slice(at + 1))), 'query');
  }
  const known = withoutQuery.get(schema);
  if (known !== undefined) return known;
  const parsed: unknown = parse(schema, {}, 'query');
  withoutQuery.set(schema, Object.freeze(parsed));
  return parsed;
}

/** Answers a method that a path does not have. @param allowed those it has; HEAD goes with GET */
export function refuseMethod(
  c: HonoContext,
  allowed: readonly string[],
  facade?: Facade,
): Response {
  const own = allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const allow = [...new Set(own)].join(', ');
  const message = `${c.req.method} is not a method of ${c.req.path}: it takes ${allow}`;
  const refusal = new GatewayError('METHOD_NOT_ALLOWED', message, { headers: { Allow: allow } });
  return refuse(c, refusal, facade);
}

function refuse(c: HonoContext, thrown: unknown, facade?: Facade): Response {
  const told = { requestId: requestIdOf(c.req.raw.headers) };
  return respondToError(thrown, told, c.req.path, facade);
}
