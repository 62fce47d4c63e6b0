/** What the network of the edge refuses at connect, in the real runtime: nothing in the gateway looks at an address before. */
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NEVER_HOSTS, PRIVATE_HOSTS } from '../test/http-kind/refused.ts';
import { type HttpServer, startHttpServer } from '../test/http-kind/server.ts';
import { backendNetwork } from './network.ts';

const WORKER = `export default {
  async fetch(request, env) {
    const { network, url } = await request.json();
    try {
      const { status } = await env[network].fetch(url, { redirect: 'manual' });
      return Response.json({ status });
    } catch (thrown) {
      return Response.json({ failure: thrown.message.split(';')[0] });
    }
  },
}`;

let runtime: Miniflare;
let server: HttpServer;

beforeAll(async () => {
  server = await startHttpServer();
  runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      cf: false,
      telemetry: { enabled: false },
      log: new Log(LogLevel.NONE),
      // It reports each refusal.
      handleStructuredLogs: () => {},
      workers: [
        {
          name: 'network',
          compatibilityDate: '2026-10-01',
          modules: [{ type: 'ESModule', path: 'index.js', contents: WORKER }],
          serviceBindings: { PUBLIC: backendNetwork(false), PRIVATE: backendNetwork(true) },
        },
      ],
    }),
  );
  await runtime.ready;
});
afterAll(() => Promise.all([runtime?.dispose(), server?.stop()]));

/** What becomes of a request. */
async function reached(network: 'PUBLIC' | 'PRIVATE', host: string): Promise<unknown> {
  const url = `http://${host}:${server.port}/v1/text`;
  const body = JSON.stringify({ network, url });
  const reply = await runtime.dispatchFetch('http://worker.test/', { method: 'POST', body });
  return reply.json();
}

const REFUSED = { failure: 'internal error' };

describe('by default', () => {
  test.each([...PRIVATE_HOSTS, ...NEVER_HOSTS])('%s is refused', async (host) => {
    expect(await reached('PUBLIC', host)).toEqual(REFUSED);
    expect(server.seen()).toEqual([]);
  });
});

describe('with private addresses allowed', () => {
  test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])('%s is reached', async (host) => {
    expect(await reached('PRIVATE', host)).toEqual({ status: 200 });
  });

  // Those that stand for IPv4 in ways that no machine of ours translates lead nowhere.
  test.each(NEVER_HOSTS.filter((host) => !/^\[(?:::169|2002:)/.test(host)))(
    '%s is refused nonetheless',
    async (host) => {
      server.seen();
      expect(await reached('PRIVATE', host)).toEqual(REFUSED);
      expect(server.seen()).toEqual([]);
    },
  );
});
