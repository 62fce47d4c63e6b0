/** The public scenarios of Serverless Workflow, as definitions of ours, from the outside. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../server/bundle.ts';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { LOGIN, startPets } from './pets.ts';
import { CALLS } from './scenarios/calls.ts';
import { CONTROL } from './scenarios/control.ts';
import { LOGGED_IN, PETS, RAISE, SET } from './scenarios/scenario.ts';
import { WITHOUT } from './scenarios/without.ts';

const SCENARIOS = [...CONTROL, ...CALLS];
const FEATURES = join(ROOT, 'test/conformance/serverless-workflow');

let organization: Organization;

beforeAll(async () => {
  organization = await newOrganization(await sharedGateway('private'));
  const url = await startPets();
  const withLogin = url.replace('//', `//${LOGIN.username}:${LOGIN.password}@`);
  await made('/templates', SET);
  await made('/templates', RAISE);
  for (const [endpoint, of] of [
    [PETS, url],
    [LOGGED_IN, withLogin],
  ] as const) {
    await made('/endpoints', { endpoint, kind: 'http', config: { write_conn: { url: of } } });
  }
});

async function made(path: string, body: object): Promise<void> {
  expect(await organization.call('POST', path, body)).toMatchObject({ status: 200 });
}

test('every scenario of the features is run, or has a reason', async () => {
  const files = (await readdir(FEATURES)).filter((name) => name.endsWith('.feature'));
  const texts = await Promise.all(
    files.map(async (name) => [name, await readFile(join(FEATURES, name), 'utf8')] as const),
  );
  const all = texts.flatMap(([name, text]) =>
    [...text.matchAll(/^ *Scenario: (.*\S)\s*$/gm)].map(
      ([, scenario]) => `${name.replace('.feature', '')}: ${scenario}`,
    ),
  );
  const known = [...SCENARIOS, ...WITHOUT].map(
    ({ feature, scenario }) => `${feature}: ${scenario}`,
  );
  expect(known.toSorted()).toEqual(all.toSorted());
});

test.each(SCENARIOS)('$feature: $scenario', async ({ feature, scenario, ...row }) => {
  const id = `${feature}-${scenario}`.toLowerCase().replaceAll(/[^a-z]+/g, '-');
  await made('/workflows', { id, name: scenario, ...row.definition });
  const reply = await organization.call('POST', `/workflows/${id}?synchronous=true`, row.input);
  const { actions, ...record } = reply.body as { actions: { path: string }[] }; // Its schema says so.
  expect({ status: reply.status, record, ran: actions.map(({ path }) => path) }).toEqual({
    status: 200,
    record: expect.objectContaining(row.ends),
    ran: row.ran,
  });
});
