/** Runs of workflows and transactions over many endpoints: what one call goes on doing after its reply, or reads again and again. */
import { always, filled, type Operation, post, template } from './operation.ts';
import { demand } from './tenants.ts';

const COMPUTES = (steps: number) =>
  `(() => { let n = 0; while (n < ${steps}) { n += 1 } return false })()`;
const condition = (expression: string) => ({
  ...{ id: 'each', type: 'condition', condition: expression, true: null, false: null },
});
const loop = (count: number, action: object, rest: object = {}) => ({
  ...{ id: 'all', type: 'loop', collection: `Array.from({ length: ${count} }, (_, i) => i)` },
  ...{ action, ...rest },
});

/** Starts runs of a workflow, after those that it starts itself are stored. */
function starting(
  name: string,
  actions: readonly object[],
  before: Operation['setUp'],
  input: () => Buffer | string = () => '{}',
): Operation {
  const id = name.replaceAll(/[^a-z0-9]+/g, '-');
  return {
    ...always(name, () => post(`/workflows/${id}`, input())),
    async setUp(tenant, over) {
      await before?.(tenant, over);
      const stored = { id, name, actions, executionSettings: { timeout: 'PT20S' } };
      await demand(tenant, post('/workflows', JSON.stringify(stored)), over);
    },
  };
}

/** Levels of workflows that start ten of the level below. */
const LEVELS = 4;
const levels: Operation['setUp'] = async (tenant, over) => {
  const wait = { id: 'wait', type: 'wait', mode: 'duration', duration: 'PT1S' };
  for (let level = 0; level <= LEVELS; level += 1) {
    const below = { id: 'below', type: 'subworkflow', workflow: `level-${level - 1}`, input: {} };
    const action = level === 0 ? wait : loop(10, below, { mode: 'parallel' });
    const stored = { id: `level-${level}`, name: `Level ${level}`, actions: [action] };
    await demand(tenant, post('/workflows', JSON.stringify(stored)), over);
  }
};

const READ = { endpoint: 'measured', query: 'select id from generate_series(1, 300000) id' };
const USE = {
  endpoint: 'measured',
  query: `select ${Array.from({ length: 1000 }, (_, index) => `$${index + 1}::text`).join()}`,
  params: Array.from({ length: 1000 }, () => ({ $result: '[0].rows[7].id' })),
};

const BOTH = {
  operations: ['measured', 'second'].map((endpoint) => ({
    endpoint,
    query: 'insert into both_sides default values',
  })),
};

export const runOperations: readonly Operation[] = [
  starting('runs that compute', [condition(COMPUTES(10_000_000))], undefined),
  starting('a run of 2,000 that compute', [loop(2_000, condition(COMPUTES(300_000)))], undefined),
  starting('a run of 30,000 conditions', [loop(30_000, condition('false'))], undefined),
  starting(
    'a run of 20,000 conditions at once',
    [
      loop(
        20_000,
        { ...condition('true'), output: '$.item' },
        { mode: 'parallel', maxConcurrency: 100 },
      ),
    ],
    undefined,
  ),
  starting(
    'a run of a graph of 2,000',
    Array.from({ length: 2_000 }, (_, at) => ({
      ...{ id: `a${at}`, type: 'template', template: 'nothing' },
      after: at === 0 ? [] : ['a0'],
    })),
    template('nothing', { transformationRules: [{ target: 'a', value: 1 }] }),
  ),
  starting(
    'a run of 500 that read the whole run',
    Array.from({ length: 500 }, (_, at) => ({
      ...{ id: `a${at}`, type: 'template', template: 'little', input: '$' },
      ...(at < 499 ? { next: `a${at + 1}` } : {}),
    })),
    template('little', { transformationRules: [{ target: 'a', value: 1 }] }),
  ),
  starting(
    'a run of 1,000 that keep 30 KB',
    [loop(1_000, { id: 'each', type: 'template', template: 'thirty-kilobytes', input: {} })],
    template('thirty-kilobytes', {
      transformationRules: [{ target: 'text', expression: "'x'.repeat(30000)" }],
    }),
  ),
  starting(
    'a run of 100 that read 10 MiB',
    [loop(100, condition('$.input.all.length < 0'))],
    undefined,
    () => filled(['{"all":[', ']}'], (index) => String(index % 997)),
  ),
  starting(
    'a run over elements of 10 MiB',
    [{ ...loop(0, condition('$.item.text.length < 0')), collection: '$.input.all' }],
    undefined,
    () => filled(['{"all":[', ']}'], (index) => `{"id":${index},"text":"${'x'.repeat(10_000)}"}`),
  ),
  starting(
    'a run of 20 that pass 10 MiB on',
    [
      loop(20, {
        id: 'each',
        type: 'template',
        template: 'counted',
        input: { all: '$.input.all' },
      }),
    ],
    template('counted', { transformationRules: [{ target: 'count', expression: '$.all.length' }] }),
    () => filled(['{"all":[', ']}'], (index) => String(index % 997)),
  ),
  starting(
    'runs that lead to many',
    [{ id: 'top', type: 'subworkflow', workflow: `level-${LEVELS}`, input: {} }],
    levels,
  ),
  always('a transaction with 1,000 references', () =>
    post('/endpoints/measured/transaction', JSON.stringify({ operations: [READ, USE] })),
  ),
  {
    ...always('transactions over two endpoints', () => post('/transactions', JSON.stringify(BOTH))),
    async setUp(tenant, over) {
      const query =
        'create table if not exists both_sides (id bigint generated always as identity)';
      const table = JSON.stringify({ type: 'execute', query });
      await demand(tenant, post('/endpoints/measured/write', table), over);
    },
  },
  always('transactions that are left open', () => post('/transactions/begin', '{}')),
  always('a transaction over many with 1,000 references', () =>
    post('/transactions', JSON.stringify({ operations: [READ, USE] })),
  ),
];
