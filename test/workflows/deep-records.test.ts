/** Values that nest deeper than a request may: what a backend answered is shown in records of runs as it was written. Spec: workflows.md §6. */
import { beforeAll, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { checkedFetch } from '../openapi/checked-fetch.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { backend, freshDatabase } from '../servers/backends.ts';

let organization: Organization;
const DEEP = {
  name: 'deep',
  actions: [
    {
      ...{ id: 'ask', type: 'endpoint', endpoint: 'pg', operation: 'write' },
      input: {
        query: "SELECT (repeat('[', 1100) || $1::text || repeat(']', 1100))::json AS found",
        params: ['$.input.number'],
      },
    },
  ],
  output: 'done',
};
const CALLED_BACK = {
  name: 'called-back',
  actions: [
    {
      ...{ id: 'tell', type: 'condition', condition: 'true', true: 'back' },
      output: '$.actions.back.url',
    },
    { id: 'back', type: 'wait', mode: 'callback' },
  ],
};

beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  const { url } = await backend('postgres').then(freshDatabase);
  await organization.addPostgres(url, { endpoint: 'pg' });
  for (const each of [DEEP, CALLED_BACK]) {
    expect(await organization.call('POST', '/workflows', each)).toMatchObject({ status: 200 });
  }
});

async function get(path: string): Promise<string> {
  const reply = await organization.send('GET', path);
  expect([path, reply.status]).toEqual([path, 200]);
  return reply.text();
}

/** Starts a run; answers the path of its record. */
async function start(workflow: string, input: object): Promise<string> {
  const path = `/workflows/${workflow}?synchronous=false`;
  const { body } = await organization.call('POST', path, input);
  return `/workflows/${workflow}/executions/${(body as { run_id: string }).run_id}`;
}

async function ended(number: string): Promise<string> {
  const path = await start('deep', { number });
  await expect.poll(() => get(path)).toContain('"status":"succeeded"');
  return path;
}

const nested = (number: string) => `"found":${'['.repeat(1_100)}${number}${']'.repeat(1_100)}`;

test('is shown in the record, its page, its events and the difference to another run', async () => {
  const [one, other] = [await ended('1.10'), await ended('12345678901234567890')];
  for (const part of ['', '/actions', '/events']) {
    expect(await get(`${one}${part}`)).toContain(nested('1.10'));
    expect(await get(`${other}${part}`)).toContain(nested('12345678901234567890'));
  }
  const difference = await get(`${other}/diff?with=${one.split('/').at(-1)}`);
  expect(difference).toContain(nested('1.10'));
});

test('is no body of a callback, as of no other request', async () => {
  const path = await start('called-back', {});
  await expect.poll(() => get(path)).toContain('"status":"waiting"');
  const { actions } = JSON.parse(await get(path)) as { actions: { output?: string }[] };
  const call = (body: string) =>
    checkedFetch(actions[0]?.output ?? '', {
      ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
      body,
    });
  for (const number of ['1', '1.10']) {
    const reply = await call(`${'['.repeat(1_001)}${number}${']'.repeat(1_001)}`);
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain('deep');
  }
  expect((await call('{"v":1.10}')).status).toBe(200);
});
