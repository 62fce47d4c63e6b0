/**
 * Pages of other origins: those that `CORS_ORIGINS` lists may call, every other one is told
 * nothing. Contract: "CORS". It wraps the application and is no middleware of it: with
 * one, requests that come from no page would pay too. Credentials of browsers are never allowed:
 * any page that has a token may send it.
 */
import type { Bindings } from '../context.ts';
import { type Settings, settingsOf } from '../settings.ts';
import { requestIdOf } from './request-id.ts';
import { ALWAYS } from './respond.ts';
import type { App } from './run.ts';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';

/** What operations read, but what every page may send anyway. */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Prefer',
  // What @upstash/redis sends to the facade that speaks its protocol.
  'Upstash-Encoding',
  'Upstash-Response-Format',
  'Upstash-Sync-Token',
  'Upstash-Telemetry-Platform',
  'Upstash-Telemetry-Retry',
  'Upstash-Telemetry-Runtime',
  'Upstash-Telemetry-Sdk',
  'X-Org-Id',
  'X-Request-Id',
  'X-Session-Id',
].join(', ');

/** What replies tell in headers, but what every page may read anyway. */
const REPLY_HEADERS = [
  'Allow',
  'ETag',
  'Idempotent-Replayed',
  'Location',
  'RateLimit-Policy',
  'Retry-After',
  'Server-Timing',
  'X-Request-Id',
].join(', ');

/** Seconds for which a browser may remember what a preflight answered; the most that Chromium does. Spec silent. */
const MAX_AGE_S = 7200;

/** Answers preflights of listed origins, and lets their pages read replies, errors too. */
export function shareWithOrigins(app: App): void {
  const answer = app.fetch;
  app.fetch = (request, env, execution) => {
    const origin = request.headers.get('Origin');
    if (origin === null) return answer(request, env, execution);
    // The runtime gives the bindings; only the application's type says that they may be missing.
    const allowed = allowedBy(env as Bindings, origin);
    if (allowed !== undefined && isPreflight(request)) return permit(request, allowed);
    return share(answer(request, env, execution), allowed);
  };
}

/** What `Access-Control-Allow-Origin` says to the origin; `undefined` when it is not allowed. */
function allowedBy(env: Bindings, origin: string): string | undefined {
  const origins = originsOf(env);
  if (origins.includes('*')) return '*';
  return origins.includes(origin) ? origin : undefined;
}

function originsOf(env: Bindings): Settings['CORS_ORIGINS'] {
  try {
    return settingsOf(env).CORS_ORIGINS;
  } catch {
    return []; // Settings that cannot be read are reported where the request is answered.
  }
}

/** Any other OPTIONS is a method that no path has. */
function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('Access-Control-Request-Method');
}

function permit({ headers }: Request, allowed: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...ALWAYS,
      'X-Request-Id': requestIdOf(headers),
      'Access-Control-Allow-Origin': allowed,
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
      'Access-Control-Max-Age': String(MAX_AGE_S),
      Vary: 'Origin',
    },
  });
}

async function share(
  answered: Response | Promise<Response>,
  allowed: string | undefined,
): Promise<Response> {
  const response = await answered;
  response.headers.append('Vary', 'Origin');
  if (allowed === undefined) return response;
  response.headers.set('Access-Control-Allow-Origin', allowed);
  response.headers.set('Access-Control-Expose-Headers', REPLY_HEADERS);
  return response;
}
