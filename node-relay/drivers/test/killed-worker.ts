/** Works on a share in a process of its own, which then does nothing more until it is killed with -9. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Json } from '../../../proto/json.ts';
import type { drivers } from '../index.ts';

/** What the process does, as JSON. */
export interface KilledWork {
  readonly kind: keyof typeof drivers;
  readonly connection: Json;
  readonly name: string;
  readonly request: unknown;
  /** The state of the share when it does nothing more. */
  readonly state: 'prepared' | 'open';
}

const SCRIPT = fileURLToPath(new URL('killed-worker-process.ts', import.meta.url));

/** Starts it and waits until the share is so; answers what kills it. */
export async function killedWorker(work: KilledWork): Promise<() => void> {
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify(work)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => ['exit']),
  ])) as readonly unknown[];
  if (String(said).trim() !== work.state) throw new Error(`The process said: ${String(said)}`);
  return () => void child.kill('SIGKILL');
}
