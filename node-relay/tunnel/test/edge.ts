/** The edge runtime with the tunnels of one node, for tests of a relay: any request goes through them. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import { freePort } from '../../../server/ports.ts';

/** A running one. */
export interface TunnelEdge {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts it. @param port of one that was stopped, to be the same again */
export async function startTunnelEdge(port?: number): Promise<TunnelEdge> {
  const [code, own] = await Promise.all([bundled(), port ?? freePort('127.0.0.1')]);
  const options = convertV4MiniflareOptions({
    cf: false,
    telemetry: { enabled: false },
    logRequests: false,
    log: new Log(LogLevel.WARN),
    workers: [
      {
        name: 'tunnel',
        compatibilityDate: '2026-10-01',
        compatibilityFlags: ['nodejs_compat', 'enable_request_signal', 'no_nodejs_global_timers'],
        modules: [{ type: 'ESModule', path: 'index.js', contents: code }],
        durableObjects: { NODE: { className: 'Node', useSQLite: true } },
      },
    ],
  });
  const [worker] = options.workers;
  if (worker === undefined) throw new Error('Miniflare took no worker');
  worker.dev = { ...worker.dev, unsafeDirectSockets: [{ host: '127.0.0.1', port: own }] };
  const edge = new Miniflare(options);
  await edge.ready;
  return { url: `http://127.0.0.1:${own}`, port: own, stop: () => edge.dispose() };
}

let code: Promise<string> | undefined;

/** Built once. */
function bundled(): Promise<string> {
  code ??= build({
    entryPoints: [join(import.meta.dirname, '../../../worker/nodes/tunnel/test/edge-worker.ts')],
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    write: false,
    logLevel: 'silent',
  }).then(({ outputFiles: [file] }) => file?.text ?? '');
  return code;
}
