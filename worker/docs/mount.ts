/** Serves the page at /docs and the program that draws it. */
import { etag } from 'hono/etag';
import { asAllReplies } from '../http/beside.ts';
import type { App } from '../http/run.ts';
import { publicPrefix } from '../public-url.ts';
import type { AnyRoute } from '../route.ts';
import { settingsOf } from '../settings.ts';
import { documentationPage } from './page.ts';
import { RENDERER_PATH, rendererFile } from './renderer.ts';

/** Needs no token: nothing there is of a tenant. @param routes the whole API */
export function mountDocs(app: App, routes: readonly AnyRoute[]): void {
  app.get('/docs', asAllReplies, ({ env }) =>
    documentationPage(routes, publicPrefix(settingsOf(env))),
  );
  app.get(RENDERER_PATH, asAllReplies, etag(), rendererFile);
}
