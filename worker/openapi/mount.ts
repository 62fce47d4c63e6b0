/** Serves the API's description at /openapi.json. */
import { requestIdOf } from '../http/request-id.ts';
import { ALWAYS } from '../http/respond.ts';
import type { AnyRoute } from '../http/route.ts';
import type { App } from '../http/run.ts';
import { describe } from './document.ts';
import { offered } from './offered.ts';

/** Needs no token: nothing there is of a tenant. Made when it is first asked for. @param routes the whole API */
export function mountDescription(app: App, routes: readonly AnyRoute[]): void {
  let bytes: Uint8Array | undefined;
  app.get('/openapi.json', ({ req }) => {
    bytes ??= new TextEncoder().encode(JSON.stringify(describe(routes), offered));
    return new Response(bytes, {
      headers: {
        ...ALWAYS,
        'Content-Type': 'application/json',
        'X-Request-Id': requestIdOf(req.raw.headers),
      },
    });
  });
}
