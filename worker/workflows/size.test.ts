/** How large a definition may be: what is sent counts. Spec: workflows.md §1. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../proto/json.ts';
import { startGateway } from '../test/gateway.ts';
import { make, WAITING } from './test/definitions.ts';

describe('a workflow', () => {
  test.each([
    { shape: 'a definition', of: (text: string) => ({ ...WAITING, documentation: { text } }) },
    {
      shape: 'a description and a version',
      of: (text: string) => ({ ...WAITING, description: text, version: '2.0.0' }),
    },
    {
      shape: 'a graph of templates',
      of: (text: string) => ({
        workflow_schema: { id: 'graph', note: text, dag: { nodes: {} } },
      }),
    },
  ])('of just 1 MiB is taken as far as its size goes, with $shape', async ({ of }) => {
    const gateway = await startGateway('Write');
    const room = 1024 * 1024 - JSON.stringify(of('')).length;
    const [right, long] = [of('x'.repeat(room)), of('x'.repeat(room + 1))];
    expect(await gateway.call('POST', '/workflows', long)).toMatchObject({ status: 413 });
    expect(await gateway.call('POST', '/workflows', right)).not.toMatchObject({ status: 413 });
  });

  test('of just 1 MiB may be changed, and not to one that is larger', async () => {
    const gateway = await startGateway('Write');
    const filled = (room: number) => ({ documentation: { text: 'x'.repeat(room) } });
    const room = 1024 * 1024 - JSON.stringify({ ...WAITING, ...filled(0) }).length;
    const id = await make(gateway, { ...WAITING, ...filled(room) });
    const change = (body: JsonObject) => gateway.call('PATCH', `/workflows/${id}`, body);
    expect(await change(filled(room))).toMatchObject({ status: 200 });
    expect(await change({ ...filled(room), version: '3.0.0' })).toMatchObject({ status: 413 });
    expect(await change(filled(room + 1))).toMatchObject({ status: 413 });
  });
});
