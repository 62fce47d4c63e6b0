/** Dead letters tell a run as it failed, whatever it has done since. Spec: workflows.md §4, `deadLetterQueue`. */
import { expect, test } from 'vitest';
import { startGateway } from '../../test/gateway.ts';

type List = { id: string }[];

test('what a run has done since it was redriven is no part of its dead letter', async () => {
  const gateway = await startGateway('Admin');
  const openTasks = async () =>
    ((await gateway.call('GET', '/tasks?status=open')).body as { tasks: List }).tasks;
  const letters = async () =>
    ((await gateway.call('GET', '/workflows/asks/dead-letters')).body as { dead_letters: List })
      .dead_letters;
  await gateway.call('POST', '/templates', {
    ...{ id: 'echo', name: 'Echo', transformationRules: [{ target: 'n', source: 'n' }] },
  });
  const made = await gateway.call('POST', '/workflows', {
    ...{ id: 'asks', name: 'Asks' },
    errorHandler: { deadLetterQueue: { enabled: true, includeState: true } },
    actions: [
      { id: 'first', type: 'template', template: 'echo', input: { n: '$.input.n' }, next: 'ask' },
      { id: 'ask', type: 'humanTask', title: 'Go on?', assignees: { roles: ['Admin'] } },
    ],
  });
  expect(made).toMatchObject({ status: 200 });
  const started = await gateway.call('POST', '/workflows/asks', { n: 3 });
  const { run_id: run } = started.body as { run_id: string };
  const answer = async (body: object) => {
    await expect.poll(openTasks).toHaveLength(1);
    const [task] = await openTasks();
    const reply = await gateway.call('POST', `/tasks/${task?.id}/complete`, { ...body });
    expect(reply).toMatchObject({ status: 200 });
  };
  await answer({ reject: true });
  await expect.poll(letters).toHaveLength(1);
  const [letter] = await letters();
  const state = { input: { n: 3 }, outputs: { first: { n: 3 } } };
  expect(letter).toMatchObject({ failed_action: 'ask', state });
  await gateway.call('POST', `/workflows/asks/dead-letters/${letter?.id}/redrive`);
  await answer({ form: {} });
  const show = () => gateway.call('GET', `/workflows/asks/executions/${run}`);
  await expect.poll(show).toMatchObject({ body: { status: 'succeeded' } });
  expect(await letters()).toEqual([{ ...letter, redriven: expect.any(String), state }]);
});
