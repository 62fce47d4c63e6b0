/** Serves the API's description at /openapi.json. */

import { addressOf } from '../http/address.ts';
import { asAllReplies } from '../http/beside.ts';
import { names } from '../http/conditional.ts';
import type { App } from '../http/run.ts';
import { passed } from '../limits/heavy-work.ts';
import { publicUrl } from '../public-url.ts';
import type { AnyRoute } from '../route.ts';
import { digestOf } from '../secrets/digest.ts';
import { settingsOf } from '../settings.ts';
import { describe } from './document.ts';
import { offered } from './offered.ts';

/** As bytes, and with the tag that names them. */
interface Served {
  readonly bytes: Uint8Array;
  readonly tag: string;
  readonly gateway: string | undefined;
}

/** Needs no token: nothing there is of a tenant. Made when it is first asked for. @param routes the whole API, and the facades next to it */
export function mountDescription(app: App, routes: readonly AnyRoute[]): void {
  let known: Served | undefined;
  app.get('/openapi.json', asAllReplies, async ({ req, env }) => {
    const settings = settingsOf(env);
    const gateway = publicUrl(settings);
    // What is made is kept, not the promise of it: that one belongs to this request.
    const served =
      known !== undefined && known.gateway === gateway ? known : await serve(routes, gateway);
    known = served;
    const { bytes, tag } = served;
    const headers = { ETag: `"${tag}"` };
    if (names(req.raw.headers.get('If-None-Match'), tag))
      return new Response(null, { status: 304, headers });
    await passed({ address: addressOf(req.raw.headers, settings.PEER) }, bytes.byteLength);
    return new Response(bytes, { headers: { ...headers, 'Content-Type': 'application/json' } });
  });
}

async function serve(routes: readonly AnyRoute[], gateway: string | undefined): Promise<Served> {
  const bytes = new TextEncoder().encode(JSON.stringify(describe(routes, gateway), offered));
  return { bytes, tag: await digestOf(bytes), gateway };
}
