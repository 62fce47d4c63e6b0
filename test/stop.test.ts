/** However it is told to stop, the gateway ends whole: code 0, and no process of it left. */
import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { dataFolder, runStart, startGateway } from './gateway.ts';
import { childrenOf, type ProcessRow, processes, stillRunning } from './processes.ts';

const CLEAN = { code: 0, signal: null };

let started: ProcessRow[] = [];
// A failed test leaves nothing behind either.
afterEach(() => {
  for (const { pid } of stillRunning(started)) process.kill(pid, 'SIGKILL');
});

/** The process and all below it. */
function treeOf(pid: number): ProcessRow[] {
  started = [...processes().filter((row) => row.pid === pid), ...childrenOf(pid)];
  return started;
}

describe('a gateway', () => {
  test.each(['SIGINT', 'SIGHUP'] as const)('stops on %s', async (signal) => {
    const gateway = await startGateway();
    const tree = treeOf(gateway.pid);
    expect(tree.map(({ command }) => command).join('\n')).toMatch(/main\.ts[\s\S]*workerd serve/);
    expect(await gateway.stop(signal)).toEqual(CLEAN);
    expect(stillRunning(tree)).toEqual([]);
    expect(gateway.output.stderr()).not.toContain('starting it again');
  });

  test('stops when it is told so while it starts', async () => {
    const data = await dataFolder();
    const run = runStart(['--port=0', '--relay-port=0', '--data', data]);
    const { pid = 0 } = run.process;
    await expect.poll(() => treeOf(pid).length).toBeGreaterThan(1);
    run.process.kill('SIGTERM');
    expect(await run.ended).toEqual(CLEAN);
    expect(run.output.stdout()).toBe('');
    expect(stillRunning(started)).toEqual([]);
    await rm(data, { recursive: true });
  });

  test('that is killed leaves nothing running', async () => {
    const gateway = await startGateway();
    const tree = treeOf(gateway.pid);
    await gateway.stop('SIGKILL');
    await expect.poll(() => stillRunning(tree)).toEqual([]);
  });
});

describe('started by npm', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('stops when npm gets %s', async (signal) => {
    const gateway = await startGateway({ npm: true });
    const tree = treeOf(gateway.pid);
    expect(await gateway.stop(signal)).toEqual(CLEAN);
    expect(stillRunning(tree)).toEqual([]);
  });

  test('stops when npm is killed', async () => {
    const gateway = await startGateway({ npm: true });
    const tree = treeOf(gateway.pid);
    await gateway.stop('SIGKILL');
    await expect.poll(() => stillRunning(tree)).toEqual([]);
  });
});
