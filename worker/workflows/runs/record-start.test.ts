/** Every start of a run is in the audit, a subworkflow's too. Contract §9. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../proto/json.ts';
import { startGateway } from '../../test/gateway.ts';
import { make } from '../test/definitions.ts';

test('of the runs of a loop of subworkflows each is an entry, whose request is the run around', async () => {
  const gateway = await startGateway('SuperAdmin');
  gateway.clock.now = Date.now();
  const done = { id: 'done', type: 'condition', condition: 'true' };
  await make(gateway, { id: 'inner', name: 'Inner', actions: [done] });
  const each = { id: 'each', type: 'subworkflow', workflow: 'inner', input: {} };
  const loop = { id: 'loop', type: 'loop', collection: '[1, 2]', action: each };
  await make(gateway, { id: 'outer', name: 'Outer', actions: [loop] });
  const { body } = await gateway.call('POST', '/workflows/outer?synchronous=true', {});
  const { run_id: outer, status } = body as JsonObject;
  expect(status).toBe('succeeded');
  const innerRuns = async () => {
    const listed = await gateway.call('GET', '/workflows/inner/executions');
    return (listed.body as { executions: { run_id: string }[] }).executions;
  };
  await expect.poll(innerRuns, { timeout: 5_000 }).toHaveLength(2);
  const inner = await innerRuns();
  await gateway.settle();
  const audit = await gateway.call('GET', '/audit?action=workflow.run&outcome=success');
  const { entries } = audit.body as { entries: JsonObject[] };
  const by = { actor: gateway.user.username, action: 'workflow.run', outcome: 'success' };
  const entryOf = (run: unknown, id: string) =>
    expect.objectContaining({
      ...by,
      resource: `workflow-run:${run}`,
      details: { actor_uuid: gateway.user.uuid, id },
    });
  expect(entries).toHaveLength(3);
  expect(entries).toEqual(
    expect.arrayContaining([
      entryOf(outer, 'outer'),
      ...inner.map((run) => entryOf(run.run_id, 'inner')),
    ]),
  );
  const requests = entries.map(({ request_id: request }) => request === outer);
  expect(requests.filter(Boolean)).toHaveLength(2);
});
