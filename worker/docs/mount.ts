/** Serves the page at /docs and the program that draws it. */
import { etag } from 'hono/etag';
import { addressOf } from '../http/address.ts';
import { asAllReplies } from '../http/beside.ts';
import type { App } from '../http/run.ts';
import { inTurn } from '../limits/record-reads.ts';
import { publicPrefix } from '../public-url.ts';
import type { AnyRoute } from '../route.ts';
import { settingsOf } from '../settings.ts';
import { documentationPage, pageResponse } from './page.ts';
import { rendererFile } from './renderer.ts';
import { RENDERER_PATH } from './renderer-path.ts';

/** Needs no token: nothing there is of a tenant. Who asks again and again waits for others. @param routes the whole API */
export function mountDocs(app: App, routes: readonly AnyRoute[]): void {
  const pages = new Map<string, string>();
  app.get('/docs', asAllReplies, ({ req, env }) => {
    const settings = settingsOf(env);
    const prefix = publicPrefix(settings);
    return inTurn({ address: addressOf(req.raw.headers, settings.PEER) }, async () => {
      const page = pages.get(prefix) ?? (await documentationPage(routes, prefix));
      pages.set(prefix, page);
      return pageResponse(page);
    });
  });
  app.get(RENDERER_PATH, asAllReplies, etag(), rendererFile);
}
