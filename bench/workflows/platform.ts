/**
 * The baseline: a worker with workflows written by hand on the platform's own binding, in the same
 * runtime, with its state on the disk. `POST /name` runs a workflow and answers its output.
 *
 * Argument: URL of Redis.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { freePort } from '../../server/ports.ts';

const redis = new Redis(process.argv[2] ?? '');
const backend = await startBackend();
const [port, state, contents] = await Promise.all([
  freePort('127.0.0.1'),
  mkdtemp(join(tmpdir(), 'causeway-bench-platform-')),
  readFile(join(import.meta.dirname, 'platform-worker.js'), 'utf8'),
]);
const { port: behind } = backend.address() as AddressInfo; // It listens on a port.
const options = convertV4MiniflareOptions({
  cf: false,
  telemetry: { enabled: false },
  resourcePersistencePath: state,
  workers: [
    {
      name: 'platform',
      compatibilityDate: '2026-10-01',
      modules: [{ type: 'ESModule', path: 'index.js', contents }],
      serviceBindings: { BACKEND: { external: { address: `127.0.0.1:${behind}`, http: {} } } },
      durableObjects: { ENDS: 'Ends' },
      workflows: { FLOW: { name: 'flow', className: 'Flow' } },
    },
  ],
});
const [worker] = options.workers;
if (worker) worker.dev = { ...worker.dev, unsafeDirectSockets: [{ host: '127.0.0.1', port }] };
const edge = new Miniflare(options);
await edge.ready;
process.once('SIGTERM', () => {
  void edge
    .dispose()
    .then(() => rm(state, { recursive: true, force: true }))
    .finally(() => process.exit());
});
console.log(`listening ${port}`);

/** Answers what Redis answers to a command, a list of texts. */
async function startBackend(): Promise<Server> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const [command = '', ...args] = JSON.parse(Buffer.concat(pieces).toString()) as string[]; // As the worker sends it.
      void redis.call(command, ...args).then((reply) => response.end(JSON.stringify(reply)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
