/** Lists with filters: none takes a cursor that was made with others. Contract §13, "cursor". */
import { beforeAll, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../proto/json.ts';
import { routes } from '../app.ts';
import { pathsOf } from '../route.ts';
import { failure, type TestGateway } from '../test/gateway.ts';
import { op, start } from '../transactions/test/started.ts';

const RUN = '/workflows/:workflow/executions/:execution';

/** Of each list its filters, each with a value. */
const LISTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/iam/users': { level: 'Read', status: 'active', q: 'user' },
  '/audit': {
    ...{ actor: '<user>', action: 'POST /workflows', resource: 'x', outcome: 'success' },
    ...{ from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' },
  },
  '/transactions': { status: 'committed' },
  '/tasks': { status: 'expired', workflow: 'asks' },
  '/workflows/:workflow/executions': {
    ...{ status: 'failed', trigger: 'api', version: '1.0.0', key: 'one' },
    ...{ since: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z', parent: '<run>' },
  },
  '/workflows/:workflow/dead-letters': {
    ...{ version: '1.0.0', since: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' },
  },
  [`${RUN}/actions`]: { path: 'first', status: 'succeeded' },
  [`${RUN}/diff`]: { with: '<other>' },
};
/** Lists that always have a filter, with another one. */
const ALWAYS: Readonly<Record<string, string>> = { [`${RUN}/diff`]: 'with=<third>' };

const RUNS = ['<run>', '<other>', '<third>'];

let gateway: TestGateway;
const names = new Map<string, string>();

function filled(text: string): string {
  const path = text.replace(':workflow', 'asks').replace(':execution', '<run>');
  return path.replaceAll(/<\w+>/g, (name) => names.get(name) ?? name);
}

async function got(path: string): Promise<JsonObject> {
  const { status, body } = await gateway.call('GET', path);
  expect({ path, status }).toEqual({ path, status: 200 });
  return body as JsonObject;
}

/** Entries of a list, once there is one of each run. */
function several(path: string, member: string): Promise<{ id: string }[]> {
  return vi.waitFor(
    async () => {
      const { [member]: entries } = await got(path);
      expect(entries).toHaveLength(RUNS.length);
      return entries as { id: string }[];
    },
    { timeout: 8_000 },
  );
}

beforeAll(async () => {
  ({ gateway } = await start());
  await gateway.addUser('Read');
  for (const query of ['update a', 'update b']) {
    const operations = [op('e0', query), op('e1', query)];
    await gateway.call('POST', '/transactions', { operations });
  }
  await gateway.call('POST', '/templates', {
    ...{ id: 'echo', name: 'Echo', transformationRules: [{ target: 'n', source: 'n' }] },
  });
  const first = { id: 'first', type: 'template', template: 'echo', input: { n: '$.input.n' } };
  await gateway.call('POST', '/workflows', {
    ...{ id: 'asks', name: 'Asks', key: '$.input.n' },
    errorHandler: { deadLetterQueue: { enabled: true, includeState: true } },
    actions: [
      { ...first, next: 'ask' },
      { id: 'ask', type: 'humanTask', title: '$.input.n', assignees: { roles: ['Admin'] } },
    ],
  });
  for (const name of RUNS) {
    const { body } = await gateway.call('POST', '/workflows/asks', { n: name });
    names.set(name, (body as { run_id: string }).run_id);
  }
  names.set('<user>', gateway.user.username);
  const open = await several('/tasks?status=open', 'tasks');
  for (const { id } of open) await gateway.call('POST', `/tasks/${id}/complete`, { reject: true });
  await several('/workflows/asks/dead-letters', 'dead_letters');
  await several('/workflows/asks/executions?status=failed', 'executions');
});

test('these are all lists with filters', () => {
  const filters = routes.flatMap((each) => {
    const shape = (each.query as { shape?: Readonly<Record<string, unknown>> }).shape ?? {};
    const { limit: _, cursor, ...own } = shape;
    const isFiltered = cursor !== undefined && Object.keys(own).length > 0;
    return isFiltered ? pathsOf(each).map((path) => [path, Object.keys(own).toSorted()]) : [];
  });
  const told = Object.entries(LISTS).map(([path, own]) => [path, Object.keys(own).toSorted()]);
  expect(Object.fromEntries(filters)).toEqual(Object.fromEntries(told));
});

const FILTERS = Object.entries(LISTS).flatMap(([path, filters]) =>
  Object.entries(filters).map(([name, value]) => ({ path, name, value })),
);

test.each(FILTERS)('a cursor of $path is none of its list by $name', async (given) => {
  const path = filled(given.path);
  const always = filled(ALWAYS[given.path] ?? '');
  const { next_cursor: cursor } = await got(`${path}?${always}&limit=1`);
  expect(cursor).toEqual(expect.any(String));
  const query = (own: string) => `${path}?${own}&cursor=${String(cursor)}`;
  await got(query(`${always}&limit=2`));
  const reply = await gateway.call('GET', query(`${given.name}=${filled(given.value)}`));
  const message = 'is not one of this list';
  const body = failure('BAD_REQUEST', `cursor: ${message}`, [{ path: 'cursor', message }]);
  expect(reply).toEqual({ status: 400, body });
});

const RUN_LIST = '/workflows/:workflow/executions';

test.each([
  [RUN_LIST, 'since=2020-01-01T00:00:00Z', 'since=2020-01-01T01:00:00.000%2B01:00'],
  [
    '/workflows/:workflow/dead-letters',
    'until=2100-01-01T00:00:00Z',
    'until=2100-01-01T00:00:00.0Z',
  ],
  [`${RUN}/diff`, 'with=<third>', 'with=<THIRD>'],
])('a cursor of %s is of its list in any spelling of its filter: %s', async (list, one, other) => {
  names.set('<THIRD>', (names.get('<third>') ?? '').toUpperCase());
  const path = filled(list);
  const { next_cursor: cursor } = await got(`${path}?${filled(one)}&limit=1`);
  expect(cursor).toEqual(expect.any(String));
  await got(`${path}?${filled(other)}&cursor=${String(cursor)}`);
});
