/** The sides that workflows are measured compared with: the platform's binding, and an open durable engine of npm on PostgreSQL. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPostgres } from '../../server/postgres-server.ts';
import { listeningPort } from '../baseline.ts';
import { cpuSeconds } from '../cpu.ts';

const PACKAGES = ['@dbos-inc/dbos-sdk@5.3.0', '@redis/client@6.3.1'];
const PROGRAM = 'durable-server.mjs';

/** A side that runs. */
export interface Side {
  readonly port: number;
  /** Seconds of processor time that its processes have used so far. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the platform's side; `POST /name` runs a workflow and answers its output. */
export async function startPlatform(redisUrl: string): Promise<Side> {
  const program = join(import.meta.dirname, 'platform.ts');
  const server = spawn(process.execPath, [program, redisUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return {
    port: await listeningPort(server),
    cpu: () => cpuSeconds(server.pid ?? 0),
    async stop() {
      server.kill('SIGTERM');
      await once(server, 'exit');
    },
  };
}

/** Starts the engine with a PostgreSQL of its own, installed into a folder of its own; `POST /name` runs a workflow and answers its output. Needs npm's registry. */
export async function startDurable(redisUrl: string): Promise<Side> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-durable-'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...PACKAGES];
  await promisify(execFile)('npm', install, { cwd: folder });
  await copyFile(join(import.meta.dirname, PROGRAM), join(folder, PROGRAM));
  const database = await startPostgres({ folder: join(folder, 'postgres'), password: 'bench' });
  const server = spawn(process.execPath, [PROGRAM, database.url, redisUrl], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return {
    port: await listeningPort(server),
    cpu: async () => (await cpuSeconds(server.pid ?? 0)) + (await cpuSeconds(database.pid)),
    async stop() {
      server.kill('SIGKILL');
      await once(server, 'exit');
      await database.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
