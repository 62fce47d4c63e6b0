/** A relay in a process of its own as the real one, serving a kind, telling its parent how its loop and memory are. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readConfig } from '../config.ts';
import { drivers } from '../drivers/index.ts';
import { createLog, describeFault } from '../log.ts';
import { startRelay } from '../server.ts';
import type { Told } from './watched.ts';

const TELL_EVERY_MS = 200;

const tell = (told: Told) => process.send?.(told);

process.on('uncaughtException', (cause) => {
  tell({ fatal: `${String(cause)} ${JSON.stringify(describeFault(cause))}` });
  process.exit(1);
});
process.on('disconnect', () => process.exit());

const config = readConfig(['--port', '0'], process.env);
if (config === undefined) throw new Error('no settings');
const log = createLog({ logFormat: 'json', logLevel: 'debug' }, { write: () => {} });
const relay = await startRelay(config, { drivers, log, version: '1' });
// What is loaded later holds the loop up.
const [, , kind = ''] = process.argv;
await Object.entries(drivers)
  .find(([name]) => name === kind)?.[1]
  .load();
tell({ port: relay.port, nodeId: relay.nodeId });

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
let before = process.cpuUsage();
setInterval(() => {
  const { user, system } = process.cpuUsage(before);
  before = process.cpuUsage();
  // On a busy machine a loop waits for its turn, too: only its own work counts.
  const blockedMs = Math.min(delay.max / 1e6, (user + system) / 1000);
  delay.reset();
  tell({ rss: process.memoryUsage.rss(), blockedMs });
}, TELL_EVERY_MS);
