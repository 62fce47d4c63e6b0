/** Callbacks that lead nowhere. Spec: workflows.md §5. */
import { env, listDurableObjectIds } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { startGateway } from '../../test/gateway.ts';

const TOKEN = 'A'.repeat(64);

test('make no object for an organization that is not there', async () => {
  const { send } = await startGateway('Read');
  const before = await listDurableObjectIds(env.WORKFLOW_RUNS);
  const response = await send(`/../../hooks/${crypto.randomUUID()}/-/${TOKEN}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  });
  const message = 'There is no such callback: it was used, has ended, or never was';
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({
    error: 'Not found',
    message,
    code: 'NOT_FOUND',
    request_id: response.headers.get('X-Request-Id'),
  });
  expect(await listDurableObjectIds(env.WORKFLOW_RUNS)).toEqual(before);
});
