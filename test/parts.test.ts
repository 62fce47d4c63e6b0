/** However a gateway is told to stop, a part of its relay that spins does not stay behind. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import { childrenOf, type ProcessRow, processes, stillRunning } from './processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-parts-'));
const fault = join(folder, 'fault');
const FIXTURE = join(import.meta.dirname, '../node-relay/parts/test/fault.ts');
const env = {
  NODE_OPTIONS: `--import=${FIXTURE}`,
  PART_FAULT: fault,
  RELAY_PARTS: '2',
  RELAY_STAND_INS: '2',
};

let started: ProcessRow[] = [];
// A failed test leaves nothing behind either.
afterEach(() => {
  for (const { pid } of stillRunning(started)) process.kill(pid, 'SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A gateway with all of its processes, and one part of its relay that spins. */
async function startSpinning(npm: boolean): Promise<OwnGateway> {
  const gateway = await startGateway({ npm, env });
  started = [...processes().filter(({ pid }) => pid === gateway.pid), ...childrenOf(gateway.pid)];
  const part = started.find(({ command }) => /\/part\.[jt]s/.test(command));
  if (part === undefined) throw new Error('The relay has no part');
  writeFileSync(fault, 'spin');
  process.kill(part.pid, 'SIGUSR2');
  await sleep(100);
  return gateway;
}

test.each([
  { npm: false, signal: 'SIGTERM' },
  { npm: false, signal: 'SIGINT' },
  { npm: false, signal: 'SIGKILL' },
  { npm: true, signal: 'SIGTERM' },
  { npm: true, signal: 'SIGKILL' },
] as const)('npm: $npm, $signal', async ({ npm, signal }) => {
  const gateway = await startSpinning(npm);
  const told = performance.now();
  await gateway.stop(signal);
  await expect.poll(() => stillRunning(started), { interval: 100 }).toEqual([]);
  expect(performance.now() - told).toBeLessThan(5_000);
});

test('an interrupt to the whole relay', async () => {
  const gateway = await startSpinning(false);
  const relay = started.find(({ command }) => command.includes('/node-relay/main.ts'));
  if (relay === undefined) throw new Error('The gateway has no relay');
  const told = performance.now();
  process.kill(-relay.pid, 'SIGINT');
  await gateway.stop('SIGTERM');
  await expect.poll(() => stillRunning(started), { interval: 100 }).toEqual([]);
  expect(performance.now() - told).toBeLessThan(5_000);
});
