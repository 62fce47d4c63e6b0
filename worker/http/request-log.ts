/**
 * One line in the log for each request: who asked for what, how it ended, and how long it took. Lines
 * are gathered: one write each would cost a steady read more than the line itself.
 */
import { lineOf, write } from '../log.ts';
import { visible } from '../shapes/visible.ts';
import type { App } from './run.ts';

/** What only the route knows of a request. */
export interface RequestNote {
  readonly requestId: string;
  /** In place of the path, where that holds a tenant's data. */
  readonly path: string | undefined;
  /** The id that the endpoint has, or by which the path names it. */
  endpoint?: string | undefined;
  user?: string;
  organization?: string;
}

/** Milliseconds that lines are gathered. */
const GATHERED_MS = 200;
/** So many lines are written at once. */
const GATHERED_MAX = 100;
/** Paths that monitoring asks for many times a minute. */
const HEALTH = '/healthz';

const notes = new WeakMap<Request, RequestNote>();
const gathered = { lines: [] as string[], dueAt: Number.POSITIVE_INFINITY, isStopping: false };

/** Tells the log more of a request; the note may be completed until the reply. */
export function noteForLog(request: Request, note: RequestNote): void {
  notes.set(request, note);
}

/** Writes a line for every request but those for `/healthz`. It stands around the application. */
export function logRequests(app: App): void {
  const answer = app.fetch;
  app.fetch = (request, env, execution) => {
    const started = Date.now();
    const end = (reply: Response): Response => {
      const path = pathOf(request.url);
      if (path !== HEALTH) gather(lineFor(request, reply, path, started), execution);
      return reply;
    };
    const reply = answer(request, env, execution);
    return reply instanceof Promise ? reply.then(end) : end(reply);
  };
}

/** Has lines written at once from now on: the gateway stops. */
export function gatherNoMore(): void {
  gathered.isStopping = true;
  flush();
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
