/**
 * What rules only move arrives as its client wrote it, whichever way a run goes. Random documents;
 * `TEST_RUNS` asks for more. Contract §1, "Numbers in a body".
 */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { body } from '../../proto/test-json-texts.ts';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { backend, freshDatabase } from '../servers/backends.ts';

let organization: Organization;

beforeAll(async () => {
  const [gateway, { url }] = await Promise.all([
    sharedGateway(),
    backend('postgres').then(freshDatabase),
  ]);
  organization = await newOrganization(gateway);
  const endpoint = await organization.addPostgres(url);
  const query = 'select {{d: Object}}::json as value';
  await post(
    '/templates',
    JSON.stringify({ id: 'row', request: 'Read', template: { endpoint, query } }),
  );
  for (const each of TRANSFORMATIONS) await post('/templates', each);
});

async function post(path: string, sent: string, method = 'POST', status = 200): Promise<string> {
  const reply = await organization.send(method, path, sent === '' ? undefined : sent);
  const text = await reply.text();
  expect([reply.status, text]).toEqual([status, text]);
  return text;
}

/** Sends a document next to a filler, and answers the text as which it arrives. */
type Way = (document: string, filler: string) => Promise<string>;

const PICK = { target: '$', source: '$', transformers: [{ name: 'pick', args: ['value'] }] };
const CACHED = { caching: { enabled: true, ttl: 60 } };
const TRANSFORMATIONS = [
  { id: 'picked', transformationRules: [PICK] },
  { id: 'kept', transformationRules: [PICK], performanceSettings: CACHED },
  {
    id: 'rules',
    functions: { same: '(each) => each' },
    transformationRules: [
      { target: 'source', source: 'value' },
      { target: 'expression', expression: '$.value' },
      { target: 'function', function: 'same', args: ['value'] },
      { target: 'nested', template: 'picked', input: '$' },
      { copy: { from: 'value', to: 'copied' } },
      {
        forEach: { array: '$.*', as: 'each', index: 'i', filter: 'i === 0' },
        target: 'list',
        rules: [{ target: 'each', source: 'each' }],
      },
    ],
  },
  {
    id: 'asked',
    transformationRules: [
      {
        target: '$',
        template: 'row',
        input: { d: '$' },
        transformers: [{ name: 'get', args: ['rows[0].value'] }],
      },
    ],
  },
].map((each) => JSON.stringify({ name: each.id, ...each }));

const withFiller = (each: string, filler: string) => `${each.slice(0, -1)},"filler":"${filler}"}`;
const valueIn = (each: string) => each.slice('{"value":'.length, -1);

const MOVES: Readonly<Record<string, Way>> = {
  rules: async (each, filler) => {
    const output = await post('/templates/rules', withFiller(each, filler));
    const text = valueIn(each);
    const all = `{"source":${text},"expression":${text},"function":${text},"nested":{"value":${text}},"copied":${text},"list":[{"each":${text}}]}`;
    return output === all ? each : output;
  },
  'a kept output': async (each, filler) => {
    await post('/templates/kept', withFiller(JSON.stringify(JSON.parse(each)), filler));
    return post('/templates/kept', withFiller(each, filler));
  },
  'a render': async (each, filler) => {
    const shown = await post('/templates/picked/render', withFiller(each, filler));
    return shown.slice(shown.indexOf('"output":') + 9, shown.indexOf(',"transformationSteps"'));
  },
  'an asynchronous run': async (each, filler) => {
    const sent = withFiller(each, filler);
    const started = JSON.parse(await post('/templates/picked?async=true', sent, 'POST', 202));
    const { run_id } = started as { run_id: string };
    const told = () => post(`/templates/picked/runs/${run_id}`, '', 'GET');
    await expect.poll(told, { timeout: 20_000 }).not.toContain('"status":"running"');
    const text = await told();
    return text.slice(text.indexOf('"output":') + 9, -1);
  },
  'the result of a request': (each) => post('/templates/asked', each),
  'a definition': async (each) => {
    const id = `t-${randomUUID().slice(0, 8)}`;
    const rules = `[{"target":"value","value":${each}},{"target":"default","source":"parameters.p"}]`;
    const parameters = `{"p":{"default":${each}}}`;
    await post(
      '/templates',
      `{"id":"${id}","name":"T","transformationRules":${rules},"parameters":${parameters}}`,
    );
    await post(`/templates/${id}`, '{"description":"changed"}', 'PATCH');
    const shown = await post(`/templates/${id}`, '', 'GET');
    expect(shown).toContain(`"transformationRules":${rules}`);
    expect(shown).toContain(`"parameters":${parameters}`);
    const output = await post(`/templates/${id}`, '{}');
    return output === `{"value":${each},"default":${each}}` ? each : output;
  },
};

const KNOWN = [
  '{"value":{"b":1,"10":2,"2":[{"3":1.0,"1":2}],"a":-0}}',
  '{"value":[1000000000000000000000,0.0000001,1E+2," 1.10,",19.90,1e400]}',
];

describe.each(Object.entries(MOVES))('%s', (_, way) => {
  test('has each digit and each member in its place', async () => {
    const document = body.map(({ compact }) => compact).filter((each) => !each.includes('{{'));
    await fc.assert(
      fc.asyncProperty(document, fc.constantFrom(10, 40_000), async (each, size) => {
        expect(await way(each, 'x'.repeat(size))).toBe(each);
      }),
      {
        numRuns: 6 * inject('runs'),
        examples: KNOWN.map((each): [string, number] => [each, 10]),
      },
    );
  });
});
