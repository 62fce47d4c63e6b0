/**
 * One line in the log for each request: who asked for what, how it ended, and how long it took. Lines
 * are gathered: one write each would cost a steady read more than the line itself.
 */
import { lineOf, write } from '../log.ts';
import { requestMetrics } from '../metrics.ts';
import type { Timing } from '../outcome.ts';
import { settingsOf } from '../settings.ts';
import { visible } from '../shapes/visible.ts';
import { endTrace, type Trace } from '../tracing.ts';
import { sendSpans } from './otlp.ts';
import type { App } from './run.ts';

/** What only the route knows of a request. */
export interface RequestNote {
  readonly requestId: string;
  /** Instead of the path, where that holds a tenant's data. */
  readonly path: string | undefined;
  /** The id that the endpoint has, or by which the path names it. */
  endpoint?: string | undefined;
  user?: string;
  organization?: string;
  /** The route's path, with the names of its parameters. */
  readonly route: string;
  readonly trace?: Trace | undefined;
  /** Once it is answered: what was measured, and the code of what it failed with. */
  timing?: Timing;
  code?: string;
}

/** Milliseconds that lines are gathered. */
const GATHERED_MS = 200;
/** So many lines are written at once. */
const GATHERED_MAX = 100;
/** Statuses from here on are the gateway's fault or the backend's. */
const SERVER_FAULT = 500;
/** Paths that monitoring asks for many times a minute. */
const HEALTH = ['/healthz', '/metrics'];

const notes = new WeakMap<Request, RequestNote>();
const gathered = { lines: [] as string[], dueAt: Number.POSITIVE_INFINITY, isStopping: false };

/** Says the log more of a request; the note may be completed until the reply. */
export function noteForLog(request: Request, note: RequestNote): void {
  notes.set(request, note);
}

/**
 * Writes a line for every request but those of monitoring, counts them where there is a `METRICS_TOKEN`, and sends what belongs to a
 * trace. It wraps the application.
 */
export function logRequests(app: App): void {
  const answer = app.fetch;
  app.fetch = (request, env, execution) => {
    const started = Date.now();
    requestMetrics.begin(started);
    const end = (reply: Response): Response => {
      requestMetrics.end();
      const path = pathOf(request.url);
      if (HEALTH.includes(path)) return reply;
      gather(lineFor(request, reply, path, started), execution);
      observe(request, reply, started, env, execution);
      return reply;
    };
    const fail = (thrown: unknown): never => {
      requestMetrics.end();
      throw thrown;
    };
    const reply = answer(request, env, execution);
    return reply instanceof Promise ? reply.then(end, fail) : end(reply);
  };
}

/** Has lines written at once from now on: the gateway stops. */
export function gatherNoMore(): void {
  gathered.isStopping = true;
  flush();
}

/** Counts a request, and has its spans sent. */
function observe(
  request: Request,
  { status }: Response,
  started: number,
  env: Parameters<App['fetch']>[1],
  execution: Parameters<App['fetch']>[2],
): void {
  if (env === undefined) return;
  const settings = settingsOf(env);
  const note = notes.get(request);
  const { route = 'other', timing, code, trace, endpoint, organization, requestId } = note ?? {};
  // A method of no route is whatever a client writes.
  const method = note ? request.method : 'other';
  // Counted only where somebody may read it.
  if (settings.METRICS_TOKEN !== undefined) {
    const seconds = (Date.now() - started) / 1000;
    requestMetrics.count({ method, route, status, seconds, code, timing });
  }
  if (trace === undefined) return;
  const attributes = {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    'causeway.request_id': requestId ?? '',
    ...(organization === undefined ? {} : { 'causeway.organization': visible(organization) }),
    ...(endpoint === undefined ? {} : { 'causeway.endpoint': loggedPath(endpoint) }),
    ...(code === undefined ? {} : { 'error.type': code }),
  };
  endTrace(trace, `${method} ${route}`, attributes, status >= SERVER_FAULT);
  sendSpans(settings, (work) => execution?.waitUntil(work));
}

function lineFor(request: Request, reply: Response, path: string, started: number): string {
  const note = notes.get(request);
  const { endpoint, user, organization } = note ?? {};
  return lineOf('info', 'request', {
    request_id: note?.requestId ?? reply.headers.get('X-Request-Id'),
    method: request.method,
    path: note?.path ?? loggedPath(path),
    status: reply.status,
    ms: Date.now() - started,
    ...(endpoint === undefined ? {} : { endpoint: loggedPath(endpoint) }),
    ...(user === undefined ? {} : { user: visible(user), organization }),
  });
}

function gather(line: string, execution: Parameters<App['fetch']>[2]): void {
  const { lines, isStopping, dueAt } = gathered;
  const now = Date.now();
  lines.push(line);
  // Also what a request that was cut off had promised to write.
  if (isStopping || lines.length >= GATHERED_MAX || now > dueAt + GATHERED_MS) flush();
  else if (lines.length === 1) {
    gathered.dueAt = now + GATHERED_MS;
    execution?.waitUntil(pause(GATHERED_MS).then(flush));
  }
}

function flush(): void {
  const { lines } = gathered;
  gathered.lines = [];
  gathered.dueAt = Number.POSITIVE_INFINITY;
  if (lines.length > 0) write(lines.join('\n'));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Without the query: it may hold secrets. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const end = url.slice(start).search(/[?#]/);
  return start < 0 ? '/' : url.slice(start, end < 0 ? undefined : start + end);
}

/** Segments that can be ids, names of users or parts of a route. */
const PLAIN = /^[\w.~@+-]{0,64}(?:\/[\w.~@+-]{0,64})*$/;
const NOT_PLAIN = /[^/]*[^/\w.~@+-][^/]*|[^/]{65,}/g;

/** A path without what no id is: a token, a URL or a statement that a client put there by mistake. */
export function loggedPath(path: string): string {
  return PLAIN.test(path) ? path : path.replace(NOT_PLAIN, '…');
}
