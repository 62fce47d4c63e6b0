/** Runs that keep large values: what reads, compares and copies these. */
import type { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { get, type Operation, post } from './operation.ts';
import { demand, send, type Tenant } from './tenants.ts';

/** 78 values of 400 KB, and what they make together: almost 32 MiB. */
const WORKFLOW = {
  ...{ id: 'keeps', name: 'Keeps' },
  actions: [
    {
      ...{ id: 'all', type: 'loop', collection: '[1, 2, 3, 4, 5, 6]', as: 'group', next: 'last' },
      action: {
        ...{ id: 'some', type: 'loop', collection: 'Array.from({ length: 13 }, (_, i) => i)' },
        action: { id: 'each', type: 'template', template: 'large', input: {} },
      },
    },
    { id: 'last', type: 'template', template: 'little', input: {} },
  ],
  output: '$.actions.all.output',
};
const TEMPLATES = { large: "'x'.repeat(400000)", little: "'x'" };
const RUNS = '/workflows/keeps/executions';
const LOOK_MS = 200;

/** Two runs that have ended, once for each tenant. */
const setUp: Operation['setUp'] = async (tenant, over) => {
  if (tenant.made.other !== undefined) return;
  for (const [id, expression] of Object.entries(TEMPLATES)) {
    const stored = { id, name: id, transformationRules: [{ target: 'text', expression }] };
    await demand(tenant, post('/templates', JSON.stringify(stored)), over);
  }
  await demand(tenant, post('/workflows', JSON.stringify(WORKFLOW)), over);
  tenant.made.run = await ended(tenant, over);
  tenant.made.other = await ended(tenant, over);
};

async function ended(tenant: Tenant, over: Agent): Promise<string> {
  const { start } = await send(tenant, post('/workflows/keeps', '{}'), over);
  const { run_id: run } = JSON.parse(start) as { run_id: string };
  const status = async () => (await demand(tenant, get(`${RUNS}/${run}`), over)).start;
  while (!(await status()).includes('"status":"succeeded"')) await sleep(LOOK_MS);
  return run;
}

const of = ({ made }: Tenant) => `${RUNS}/${made.run}`;

export const keptRunOperations: readonly Operation[] = [
  {
    ...{ name: 'differences of runs that keep 30 MB', setUp },
    call: (tenant) => get(`${of(tenant)}/diff?with=${tenant.made.other}`),
  },
  {
    ...{ name: 'forks of a run that keeps 30 MB', setUp },
    call: (tenant) => post(`${of(tenant)}/fork`, '{"from":"last"}'),
  },
];
