/** Runs a route: limits, authenticate, authorize, parse, handle, reply, in the contract's order of refusals. */
import type { Hono, Context as HonoContext } from 'hono';
import { METHOD_NAME_ALL } from 'hono/router';
import type * as z from 'zod';
import { GatewayError } from '../../proto/errors.ts';
import { bytesInPieces } from '../../proto/json-bytes.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import { type Authorized, authorize } from '../access/access.ts';
import { authenticate } from '../access/authenticate.ts';
import { forgetAll, forgetOrganization } from '../access/policy.ts';
import {
  type Bindings,
  type Context,
  type Outside,
  openContext,
  type PublicContext,
} from '../context.ts';
import { once } from '../idempotency/once.ts';
import { keyOf } from '../idempotency/rule.ts';
import { countCaller } from '../limits/caller.ts';
import { giveBack, inPieces, isLarge, isLight } from '../limits/heavy-work.ts';
import { demandAuditRoom, type Relief } from '../limits/quotas/audit.ts';
import { type Settings, settingsOf } from '../settings.ts';
import { addressOf } from './address.ts';
import {
  type BodyLimits,
  bodyLimits,
  checkBodyHeaders,
  parseBody,
  parseBodyInPieces,
} from './body.ts';
import { type Arrived, discardBody, readBody } from './body-bytes.ts';
import { ifMatchOf } from './conditional.ts';
import { parse } from './parse.ts';
import { requestIdOf } from './request-id.ts';
import { respond, respondToError } from './respond.ts';
import {
  type AnyRoute,
  type Facade,
  JsonBytes,
  methodsOf,
  pathsOf,
  type Reply,
  Tagged,
} from './route.ts';
import { PathRouter } from './router.ts';

/** What every route is below. Spec: "Versioning". */
export const BASE_PATH = '/api/v1';

export type App = Hono<{ Bindings: Bindings }>;

/** One of a route's paths from the root; a facade's stands beside the API. */
export function wholePath({ facade }: AnyRoute, path: string): string {
  return facade ? path : BASE_PATH + path;
}

/** Who is told of requests, before their replies; neither may throw. */
export interface Observers {
  /** Of every request that a route answers with an error. */
  refused(
    open: PublicContext,
    route: AnyRoute,
    params: Readonly<Record<string, string>>,
    thrown: unknown,
  ): void;
  /** Of every other request that carries a token. */
  performed(ctx: Context, route: AnyRoute, params: Readonly<Record<string, string>>): void;
}

/** What a path serves. */
interface Served {
  readonly allowed: readonly string[];
  readonly facade?: Facade;
}

/** Adds routes to the app; other methods on their paths are 405, other paths 404. */
export function mount(
  app: App,
  routes: readonly AnyRoute[],
  outside: Outside,
  observers: Observers,
): void {
  const served = new Map<string, Served>();
  for (const each of routes) {
    const { facade } = each;
    for (const path of pathsOf(each)) {
      const whole = wholePath(each, path);
      app.on([...methodsOf(each)], whole, (c) => answer(c, each, outside, observers));
      const allowed = [...(served.get(whole)?.allowed ?? []), ...methodsOf(each)];
      served.set(whole, { allowed, ...(facade ? { facade } : {}) });
    }
  }
  // Beside the app: as a second handler of each path they would cost every request that has a route.
  const paths = new PathRouter<Served>();
  for (const [path, each] of served) paths.add(METHOD_NAME_ALL, path, each);
  app.notFound((c) => {
    const [found] = paths.match(METHOD_NAME_ALL, c.req.path)[0];
    if (found) return refuseMethod(c, found[0].allowed, found[0].facade);
    return refuse(c, new GatewayError('NOT_FOUND', `There is nothing at ${c.req.path}: see /docs`));
  });
  app.onError((thrown, c) => refuse(c, thrown));
}

async function answer(
  c: HonoContext<{ Bindings: Bindings }>,
  each: AnyRoute,
  outside: Outside,
  observers: Observers,
): Promise<Response> {
  const request = c.req.raw;
  const settings = settingsOf(c.env);
  const open = openContext({
    request,
    env: c.env,
    outside,
    requestId: requestIdOf(request.headers),
    address: addressOf(request.headers, settings.PEER),
    waitUntil: (work) => c.executionCtx.waitUntil(work),
  });
  // What such a path holds beside its beginning may be a tenant's data: it is not for the log.
  const path = each.facade ? (pathsOf(each)[0] ?? '') : c.req.path;
  const params = c.req.param();
  const ends = {
    performed: (ctx: Context) => observers.performed(ctx, each, params),
    refuse(thrown: unknown): Response {
      observers.refused(open, each, params, thrown);
      return respondToError(thrown, open, path, each.facade);
    },
  };
  const performing = perform(open, each, params, ends).catch(async (thrown: unknown) => {
    const response = ends.refuse(thrown);
    await discardBody(open, request, limitsOf(each, settings));
    return response;
  });
  // Else the runtime ends it when its client goes, and its place would be taken for a while.
  if (isLarge(Number(request.headers.get('Content-Length')))) open.afterReply(performing);
  return performing;
}

/** How a call ends, as far as its route is concerned. */
interface Ends {
  performed(ctx: Context): void;
  /** The reply for what was thrown. */
  refuse(thrown: unknown): Response;
}

async function perform(
  open: PublicContext,
  each: AnyRoute,
  pathParams: Record<string, string>,
  { performed, refuse }: Ends,
): Promise<Response> {
  const { request, settings } = open;
  const limits = limitsOf(each, settings);
  checkBodyHeaders(request, limits.maxBytes, each.facade ? 'any' : 'json');
  await each.admit?.(open);
  const ctx = each.access.level === 'Public' ? (open as Context) : await identify(open);
  if (each.access.level !== 'Public') countCaller(ctx);
  const params: unknown = parse(each.params, pathParams, 'path');
  const started = open.now();
  const authorized =
    each.access.level === 'Public'
      ? ({ resource: undefined, held: 'None' } as Authorized<undefined>) // There is no caller to have a policy.
      : await authorize(ctx, each.access, params).finally(() => {
          open.timing.authorize = open.now() - started;
        });
  const query: unknown = queryOf(request, each);
  const ifMatch = ifMatchOf(request, each);
  const keyed = keyOf(request, each.idempotency);
  const { bytes, body, place } = await bodyOf(ctx, each, limits);
  const run = async (own: Context): Promise<Response> => {
    try {
      if (each.changes === 'organization') await demandAuditRoom(own, reliefOf(each, body));
      const reply = await each.handle(own, { ...authorized, params, query, body, bytes, ifMatch });
      if (each.access.level !== 'Public') performed(ctx);
      return respond(isLight(bytes) ? reply : await asBytes(own, reply), each.reply, open);
    } finally {
      if (each.changes === 'organization') forgetOrganization(ctx.caller.orgUuid);
      if (each.changes === 'installation') forgetAll();
    }
  };
  const finish = async (own: Context): Promise<Response> => {
    if (keyed === undefined) return run(own);
    const call = { ...keyed, bytes, body, policy: authorized.policy };
    return respond(await once(own, call, { run, refuse }), 'bare', open);
  };
  return place ? finish({ ...ctx, place }).finally(() => giveBack(place)) : finish(ctx);
}

function reliefOf(each: AnyRoute, body: unknown): Relief | undefined {
  return each.relief?.(body) ?? (each.method === 'DELETE' ? 'removal' : undefined);
}

function limitsOf({ access }: AnyRoute, settings: Settings): BodyLimits {
  return bodyLimits(settings, access.level === 'Public');
}

/**
 * The body, read and checked: a light one at once.
 * @throws GatewayError PAYLOAD_TOO_LARGE, BAD_REQUEST, SERVICE_UNAVAILABLE
 */
async function bodyOf(
  ctx: Context,
  each: AnyRoute,
  limits: BodyLimits,
): Promise<Arrived & { readonly body: unknown }> {
  const arrived = await readBody(ctx, ctx.request, limits);
  const { bytes, place } = arrived;
  try {
    if (each.facade) return { ...arrived, body: parse(each.body, undefined, 'body') };
    if (bytes === undefined || isLight(bytes)) {
      return { bytes, body: parse(each.body, parseBody(bytes), 'body') };
    }
    const pieces = checkedInPieces(each, bytes);
    return { ...arrived, body: await inPieces(ctx, pieces, { place, isLarge: true }) };
  } catch (thrown) {
    giveBack(place);
    throw thrown;
  }
}

function* checkedInPieces(each: AnyRoute, bytes: Uint8Array): Pieces<unknown> {
  const body = yield* parseBodyInPieces(bytes);
  yield;
  return parse(each.body, body, 'body');
}

/** What answers a large body may be large itself. */
async function asBytes(ctx: Context, reply: Reply): Promise<Reply> {
  if (reply instanceof Response || reply instanceof JsonBytes || reply instanceof Tagged) {
    return reply;
  }
  return new JsonBytes(await inPieces(ctx, bytesInPieces(reply), { isBegun: true }));
}

async function identify(open: PublicContext): Promise<Context> {
  return { ...open, caller: await authenticate(open, open.request.headers.get('Authorization')) };
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

function queryOf({ url }: Request, { query: schema }: AnyRoute): unknown {
  const at = url.indexOf('?');
  if (at >= 0) {
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
  const told = { requestId: requestIdOf(c.req.raw.headers), timing: {} };
  return respondToError(thrown, told, c.req.path, facade);
}
