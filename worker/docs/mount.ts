/** Serves the page at /docs and the program that draws it. */
import type { MiddlewareHandler } from 'hono';
import { etag } from 'hono/etag';
import { requestIdOf } from '../http/request-id.ts';
import { ALWAYS } from '../http/respond.ts';
import type { AnyRoute } from '../http/route.ts';
import type { App } from '../http/run.ts';
import { documentationPage } from './page.ts';
import { RENDERER_PATH, rendererFile } from './renderer.ts';

/** Needs no token: nothing there is of a tenant. @param routes the whole API */
export function mountDocs(app: App, routes: readonly AnyRoute[]): void {
  app.get('/docs', asAllReplies, () => documentationPage(routes));
  app.get(RENDERER_PATH, asAllReplies, etag(), rendererFile);
}

/** Contract: "Other headers". Set on the reply itself: around it, its content would be encoded again. */
const asAllReplies: MiddlewareHandler = async (c, next) => {
  await next();
  const headers = { ...ALWAYS, 'X-Request-Id': requestIdOf(c.req.raw.headers) };
  for (const [name, value] of Object.entries(headers)) {
    if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  }
};
