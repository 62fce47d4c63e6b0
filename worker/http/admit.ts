/**
 * Refuses requests with an invalid `Host`. The runtime makes a request's URL by writing `Host` and
 * the target of its first line one after the other: `Host: a/api/v1/org#` would choose the path. So
 * what the URL begins with is looked at before anything reads it. Like `shareWithOrigins` it is
 * around the application.
 */
import { hostRefused, isHost } from './host.ts';
import { requestIdOf } from './request-id.ts';
import { respondToError } from './respond.ts';
import type { App } from './run.ts';

/** Hosts that were checked and accepted. Clients name few; a client that names many gains nothing. */
const known = new Set<string>();
/** Spec silent. */
const KNOWN_MAX = 100;

/** Refuses requests whose `Host` is invalid, or whose target is not a path. Spec silent. */
export function refuseOtherHosts(app: App): void {
  const answer = app.fetch;
  app.fetch = (request, env, execution) =>
    isWhole(request) ? answer(request, env, execution) : refusal(request.headers);
}

function isWhole({ headers, url }: Request): boolean {
  const host = headers.get('Host');
  // Only a request that no socket brought has none: then its URL was not made of it.
  if (host === null) return true;
  if (!known.has(host)) {
    if (!isHost(host)) return false;
    if (known.size >= KNOWN_MAX) known.clear();
    known.add(host);
  }
  const start = url.indexOf('//') + 2;
  if (url.startsWith(host, start) && url.startsWith('/', start + host.length)) return true;
  // Where something between has made a URL of its own, it is in the one spelling that URLs have.
  return URL.parse(url)?.href === url;
}

function refusal(headers: Headers): Response {
  return respondToError(hostRefused(), { requestId: requestIdOf(headers) }, '/');
}
