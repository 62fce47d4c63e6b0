/** The renderer as a deployed worker has it: a module of its own. */
import { env } from 'cloudflare:workers';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import origin from '../../vendor/scalar/origin.json' with { type: 'json' };
import type { Bindings } from '../context.ts';
import { mountDocs } from './mount.ts';
import { RENDERER_PATH } from './renderer-path.ts';

const app = new Hono<{ Bindings: Bindings }>();
mountDocs(app, []);

test.each(['gzip', 'identity'])(
  'is the file that its note names, asked for as %s',
  async (coding) => {
    const request = new Request(`http://gateway.test${RENDERER_PATH}`, {
      headers: { 'Accept-Encoding': coding },
    });
    const { status, headers, body } = await app.fetch(request, env);
    expect({ status, coding: headers.get('Content-Encoding') ?? 'identity' }).toEqual({
      status: 200,
      coding,
    });
    const plain =
      coding === 'gzip' ? body?.pipeThrough(new DecompressionStream('gzip')) : (body ?? undefined);
    const digest = await crypto.subtle.digest('SHA-256', await new Response(plain).arrayBuffer());
    const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0'));
    expect(hex.join('')).toBe(origin.sha256);
  },
);
