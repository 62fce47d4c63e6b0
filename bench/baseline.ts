/** The baseline: a bare worker that forwards, through the same kind of binding, to the bare server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { freePort } from '../server/ports.ts';
import type { MeasuredName } from './kinds.ts';

/** What the bare worker does by default: its request goes on as it is. */
export const FORWARD = `export default { fetch: (request, env) => env.BACKEND.fetch(request) };`;

/** Something that listens and can be stopped. */
export interface Running {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts both, the server on the database at `url`. */
export async function startBaseline(
  url: string,
  kind: MeasuredName = 'postgres',
): Promise<Running> {
  const server = await startBareServer(url, kind);
  const worker = await startBareWorker(server.port);
  return {
    port: worker.port,
    async stop() {
      await worker.stop();
      await server.stop();
    },
  };
}

/** Starts the bare server alone. */
export async function startBareServer(url: string, kind: MeasuredName): Promise<Running> {
  const program = join(import.meta.dirname, 'bare-server.ts');
  const server = spawn(process.execPath, [program, url, kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await listeningPort(server);
  return { port, stop: async () => void server.kill() };
}

/** Starts a bare worker before a server. @param script ES module; its `env.BACKEND` is the server */
export async function startBareWorker(backend: number, script = FORWARD): Promise<Running> {
  const port = await freePort('127.0.0.1');
  const options = convertV4MiniflareOptions({
    cf: false,
    telemetry: { enabled: false },
    workers: [
      {
        name: 'bare',
        compatibilityDate: '2026-10-01',
        modules: [{ type: 'ESModule', path: 'index.js', contents: script }],
        serviceBindings: { BACKEND: { external: { address: `127.0.0.1:${backend}`, http: {} } } },
      },
    ],
  });
  const [worker] = options.workers;
  if (worker) worker.dev = { ...worker.dev, unsafeDirectSockets: [{ host: '127.0.0.1', port }] };
  const edge = new Miniflare(options);
  await edge.ready;
  return { port, stop: () => edge.dispose() };
}

/** The port that a server of ours prints once it listens. */
export async function listeningPort(server: ChildProcess): Promise<number> {
  if (server.stdout === null) throw new Error('The server has no output');
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  return Number(/listening (\d+)/.exec(line.toString())?.[1]);
}
