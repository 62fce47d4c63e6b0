/** A third party's program that draws the page at /docs, in one file that the gateway serves. */
import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import origin from '../../vendor/scalar/origin.json' with { type: 'json' };
import type { Bindings } from '../context.ts';
import { addressOf } from '../http/address.ts';
import { passed } from '../limits/heavy-work.ts';
import { settingsOf } from '../settings.ts';

/** Bytes of its replies, where unpacking counts for as many again as it makes. */
const COSTS = { gzip: 1_300_000, identity: 8_400_000 };

const HEADERS = {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Cache-Control': 'public, max-age=31536000, immutable',
  // Weak: one tag for both codings.
  ETag: `W/"${origin.sha256}"`,
  Vary: 'Accept-Encoding',
};

/** The file, compressed as it is kept unless the client cannot read that. */
export async function rendererFile(c: Context<{ Bindings: Bindings }>): Promise<Response> {
  const coding = accepts(c, {
    header: 'Accept-Encoding',
    supports: ['gzip'],
    default: 'identity',
  });
  const address = addressOf(c.req.raw.headers, settingsOf(c.env).PEER);
  await passed({ address }, coding === 'gzip' ? COSTS.gzip : COSTS.identity);
  const kept = await keptFile(c.env);
  if (coding === 'gzip') {
    const headers = { ...HEADERS, 'Content-Encoding': 'gzip' };
    return new Response(kept, { headers, encodeBody: 'manual' });
  }
  return new Response(kept.pipeThrough(new DecompressionStream('gzip')), { headers: HEADERS });
}

async function keptFile({ RENDERER }: Bindings): Promise<ReadableStream<Uint8Array>> {
  if (RENDERER === undefined) {
    // A module of its own, which an isolate loads only when the page is requested.
    const { default: bytes } = await import('../../vendor/scalar/standalone.js.gz');
    return new Blob([bytes]).stream();
  }
  const { ok, body } = await RENDERER.fetch(`http://renderer/${origin.kept_as}`);
  if (!ok || body === null) throw new Error(`There is no ${origin.kept_as}`);
  return body;
}
