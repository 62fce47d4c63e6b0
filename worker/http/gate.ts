/**
 * When a self-hosted gateway takes requests: once all of it is ready, and until it stops. All
 * of it is ready when the file with the gateway's own ports exists; the stop is announced by
 * the program that runs it. On the platform it always takes them. It wraps the application like
 * `shareWithOrigins`.
 */
import { errorBody, GatewayError } from '../../proto/errors.ts';
import { beginStop, holds, isStopping } from '../calls/stop.ts';
import type { Bindings } from '../context.ts';
import { requestIdOf } from './request-id.ts';
import { ALWAYS } from './respond.ts';
import type { App } from './run.ts';

/** Milliseconds between two looks at a file: many early requests do not slow the start. */
const LOOK_MS = 20;
/** Milliseconds between two tries of a request that waits. */
const WAIT_MS = 50;
/** Milliseconds that a request waits for the start before it is answered 503. */
const START_MAX_MS = 10_000;

/** Files of the binding OWN about this run: all is ready; the runtime takes no more connections. */
const READY = 'own.json';
const DRAINED = 'drained';

/** Of this isolate. */
const gate = { isOpen: false, lookedAt: Number.NEGATIVE_INFINITY, isDrained: false };

/**
 * Has requests that come too early wait until all is ready, or 10 s, after which they are 503; those
 * to `/healthz` are answered at once. Spec silent.
 */
export function openWhenReady(app: App): void {
  const answer = app.fetch;
  const answerLate: App['fetch'] = async (request, env, execution) => {
    // The runtime gives the bindings; only the application's type says that they may be missing.
    const bindings = env as Bindings;
    if (!isStopping() && !(await opens(bindings, isHealth(request)))) {
      return refusal(request);
    }
    if (isStopping() && isHealth(request)) return refusal(request);
    await released(bindings);
    const reply = await answer(request, env, execution);
    await released(bindings);
    return reply;
  };
  app.fetch = (request, env, execution) => {
    if (!gate.isOpen) return answerLate(request, env, execution);
    const reply = answer(request, env, execution);
    if (!(reply instanceof Promise)) return reply;
    return reply.then((made) =>
      !isStopping() ? made : released(env as Bindings).then(() => made),
    );
  };
}

/**
 * Has requests and replies wait until the runtime takes no more connections, at most `holdMs`
 * milliseconds: then each connection ends with its reply, and its client knows. What lasts is ended
 * after `endMs`.
 */
export function stopGate(holdMs: number, endMs: number): void {
  gate.isOpen = false;
  beginStop(holdMs, endMs);
}

/** Whether all is ready, now or in the time that a request waits. */
async function opens(bindings: Bindings, now: boolean): Promise<boolean> {
  const until = Date.now() + (now ? 0 : START_MAX_MS);
  for (;;) {
    if (gate.isOpen || isStopping()) return true;
    if (await isThere(bindings, READY)) {
      gate.isOpen = !isStopping();
      return true;
    }
    if (Date.now() >= until) return false;
    await pause();
  }
}

/** Waits out what a stop holds. */
async function released(bindings: Bindings): Promise<void> {
  while (!gate.isDrained && holds()) {
    gate.isDrained = await isThere(bindings, DRAINED);
    if (!gate.isDrained) await pause();
  }
}

/** Without the binding everything is ready. */
async function isThere({ OWN }: Bindings, file: string): Promise<boolean> {
  if (OWN === undefined) return true;
  const now = Date.now();
  if (now - gate.lookedAt < LOOK_MS) return false;
  gate.lookedAt = now;
  const reply = await OWN.fetch(`http://own/${file}`);
  await reply.body?.cancel();
  return reply.ok;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, WAIT_MS));
}

function isHealth({ url }: Request): boolean {
  return new URL(url).pathname === '/healthz';
}

/** Not logged: it is no failure, and may come as often as clients ask. */
function refusal(request: Request): Response {
  const requestId = requestIdOf(request.headers);
  const body = isHealth(request)
    ? { status: isStopping() ? 'stopping' : 'starting' }
    : errorBody(new GatewayError('SERVICE_UNAVAILABLE', 'Starting'), requestId);
  const headers = {
    ...ALWAYS,
    'Content-Type': 'application/json; charset=utf-8',
    'X-Request-Id': requestId,
    'Retry-After': '1',
  };
  return new Response(JSON.stringify(body), { status: 503, headers });
}
