/** Runs go on at a start of the gateway although the alarm that was to wake them is lost. Spec: workflows.md §7. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { freePort } from '../../server/ports.ts';
import { dataFolder, startGateway } from '../gateway.ts';
import { newOrganization } from '../organization.ts';
import { childrenOf } from '../processes.ts';
import { Workflows } from './workflows.ts';

/** Where the edge's runtime keeps the alarms of the objects that run workflows. */
const ALARMS = 'state/do/causeway-WorkflowRuns/metadata.sqlite';
const WITHIN_MS = 5_000;

test('a run whose alarm is lost goes on within 5 s of the start', async () => {
  const data = await dataFolder();
  const args = ['--port', String(await freePort('127.0.0.1'))];
  const start = () => startGateway({ data, args });
  let gateway = await start();
  try {
    const organization = await newOrganization(gateway);
    const on = new Workflows(organization);
    const id = await on.add([{ id: 'wait', type: 'wait', mode: 'duration', duration: 'PT3S' }]);
    const run = await on.start(id);
    await on.waits(id, run);
    // By the index objects with runs are found; it may be a second late.
    const listed = async () =>
      (await organization.call('GET', `/workflows/${id}/executions?status=waiting`)).body;
    const one = { executions: [expect.objectContaining({ run_id: run })] };
    await expect.poll(listed, { timeout: WITHIN_MS }).toEqual(one);
    await gateway.stop('SIGKILL');
    const alarms = new DatabaseSync(join(data, ALARMS));
    expect(alarms.prepare('DELETE FROM _cf_ALARM').run().changes).toBe(1);
    alarms.close();

    gateway = await start();
    // The list does not wake the object of the run, as its record would.
    const ended = `/workflows/${id}/executions?status=succeeded`;
    const found = async () => (await organization.call('GET', ended)).body;
    await expect.poll(found, { timeout: WITHIN_MS }).toEqual(one);
  } finally {
    await gateway.stop('SIGKILL');
    await rm(data, { recursive: true, force: true });
  }
});

test('a run whose alarm is lost goes on when the runtime has died alone', async () => {
  const data = await dataFolder();
  const gateway = await startGateway({ data });
  try {
    const organization = await newOrganization(gateway);
    const on = new Workflows(organization);
    const id = await on.add([{ id: 'wait', type: 'wait', mode: 'duration', duration: 'PT6S' }]);
    const run = await on.start(id);
    await on.waits(id, run);
    const found = (status: string) => async () => {
      const path = `/workflows/${id}/executions?status=${status}`;
      return (await organization.call('GET', path).catch(() => undefined))?.body;
    };
    const one = { executions: [expect.objectContaining({ run_id: run })] };
    await expect.poll(found('waiting'), { timeout: WITHIN_MS }).toEqual(one);
    // The runtime still knows it, and the next one does not.
    const alarms = new DatabaseSync(join(data, ALARMS));
    expect(alarms.prepare('DELETE FROM _cf_ALARM').run().changes).toBe(1);
    alarms.close();
    const runtimes = childrenOf(gateway.pid).filter(({ command }) => /workerd serve/.test(command));
    for (const { pid } of runtimes) process.kill(pid, 'SIGKILL');
    expect(runtimes.length).toBeGreaterThan(0);

    await expect.poll(found('succeeded'), { timeout: 30_000 }).toEqual(one);
  } finally {
    await gateway.stop('SIGKILL');
    await rm(data, { recursive: true, force: true });
  }
});
