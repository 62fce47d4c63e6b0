/** A third party's program that draws the page at /docs, in one file that the gateway serves. */
import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import origin from '../../vendor/scalar/origin.json' with { type: 'json' };
import type { Bindings } from '../context.ts';

/** Where it is served. Other content has another name, so that it may be kept for ever. */
export const RENDERER_PATH = `/docs/scalar-${origin.version}-${origin.sha256.slice(0, 16)}.js`;

const HEADERS = {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Cache-Control': 'public, max-age=31536000, immutable',
  // Weak: one tag for both codings.
  ETag: `W/"${origin.sha256}"`,
  Vary: 'Accept-Encoding',
};

/** The file, compressed as it is kept unless the client cannot read that. */
export async function rendererFile(c: Context<{ Bindings: Bindings }>): Promise<Response> {
  const kept = await keptFile(c.env);
  const coding = accepts(c, {
    header: 'Accept-Encoding',
    supports: ['gzip'],
    default: 'identity',
  });
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
