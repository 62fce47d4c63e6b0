/** How long a subscription lasts, in the real runtime and on its clock: comments, and a right that is withdrawn. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { sharedGateway } from './gateway.ts';
import { checkedFetch } from './openapi/checked-fetch.ts';
import { ask, newOrganization, refusal } from './organization.ts';
import { backend } from './servers/backends.ts';

const BEAT_MS = 5_000;
const LOOK_MS = 15_000;
const PASSWORD = 'a password of the reader';

test('a subscription whose right is withdrawn ends soon', {
  timeout: 90_000,
}, async () => {
  const [gateway, { url }] = await Promise.all([sharedGateway(), backend('mongo')]);
  const organization = await newOrganization(gateway);
  const config = { write_conn: { url }, db_name: `test_${randomUUID().replaceAll('-', '')}` };
  const endpoint = { endpoint: 'documents', kind: 'mongo', config };
  expect(await organization.call('POST', '/endpoints', endpoint)).toMatchObject({ status: 200 });
  const username = `reader-${organization.id}`;
  const reader = { username, password: PASSWORD, access_level: 'Read' };
  expect(await organization.call('POST', '/iam/users', reader)).toMatchObject({ status: 200 });
  const login = await ask(gateway, 'GET', '/auth/login', undefined, {
    Authorization: `Basic ${Buffer.from(`${username}:${PASSWORD}`).toString('base64')}`,
    'X-Org-Id': organization.id,
  });
  const { token } = login.body as { token: string };

  const asked = performance.now();
  const response = await checkedFetch(`${gateway.url}/api/v1/endpoints/documents/read`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'text/event-stream',
    },
    body: JSON.stringify({ type: 'watch', collection: 'orders', timeout_ms: 10_000 }),
  });
  expect(response.status).toBe(200);
  const text = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const blocks: string[] = [];
  const readUntil = async (wanted: RegExp) => {
    let told = '';
    while (!wanted.test(told)) {
      const { value, done } = (await text?.read()) ?? { done: true };
      if (done) throw new Error(`The stream ended after ${JSON.stringify(blocks)}`);
      told += value ?? '';
      blocks.push(value ?? '');
    }
    return told;
  };
  // It is active, and outlives the deadline of its request.
  for (let comments = 0; comments < 4; comments += 1) await readUntil(/^:$/m);
  expect(performance.now() - asked).toBeGreaterThan(3 * BEAT_MS - 1_000);

  expect(await organization.call('DELETE', `/iam/users/${username}`)).toMatchObject({
    status: 200,
  });
  const withdrawn = performance.now();
  const told = await readUntil(/^event: error\n(?:.+\n)*\n/m);
  expect(performance.now() - withdrawn).toBeLessThan(3 * LOOK_MS);
  const data = /^data: (.*)$/m.exec(told)?.[1] ?? '';
  expect(JSON.parse(data)).toEqual(refusal('TOKEN_REVOKED', 'Token is no longer valid').body);
  expect(await text?.read()).toMatchObject({ done: true });
});
