/** That a task that nobody could complete fails: its assignees are no names, its options no choices. Spec: workflows.md §2, values; §3 `humanTask`. */
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../proto/json.ts';
import { startGateway } from '../test/gateway.ts';
import { make } from '../workflows/test/definitions.ts';

const ASK = { id: 'ask', type: 'humanTask', title: 'Look', timeout: { duration: 'PT1H' } };
const FLOW = {
  id: 'flow',
  name: 'Flow',
  actions: [
    {
      ...ASK,
      assignees: { roles: '$.input.roles', users: '$.input.users' },
      form: {
        fields: [{ id: 'size', type: 'select', options: '$.input.options', required: true }],
      },
    },
  ],
};
const OPTIONS = ['s', { value: 'm', label: 'Medium' }];

async function started(input: JsonObject) {
  const gateway = await startGateway('SuperAdmin');
  gateway.clock.now = Date.now();
  await make(gateway, FLOW);
  const { body } = await gateway.call('POST', '/workflows/flow', { options: OPTIONS, ...input });
  const { run_id: run } = body as JsonObject;
  return (await gateway.call('GET', `/workflows/flow/executions/${run}`)).body;
}

test.each<[JsonObject, string]>([
  [{ users: 5 }, 'assignees.users: must be a list of texts'],
  [{ users: ['ada', 5] }, 'assignees.users: must be a list of texts'],
  [{ roles: { a: 1 } }, 'assignees.roles: must be a list of texts'],
  ...[{}, { users: [] }, { users: [null], roles: null }, { users: '' }, { roles: [' '] }].map(
    (each): [JsonObject, string] => [each, 'assignees: must name roles or users'],
  ),
  [{ users: 'ada', options: [5, {}] }, 'options: must be texts, or objects with a text value'],
])('%j fails the action', async (input, message) => {
  const error = { code: 'INVALID_INPUT', message, action: 'ask' };
  await expect.poll(() => started(input)).toMatchObject({ status: 'failed', error });
});

test.each<[JsonObject]>([
  [{ users: 'ada' }],
  [{ users: ['ada', null] satisfies Json }],
  [{ roles: ['Write'], users: null }],
])('%j is a task that waits', async (input) => {
  expect(await started(input)).toMatchObject({ status: 'waiting' });
});
