/** docs/templates.md: every transformation and every rule does what the page shows, over a socket. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import jsonata from 'jsonata';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { parseJson } from '../../proto/json.ts';
import { ROOT } from '../../server/bundle.ts';
import { withTransformers } from '../../tooling/transformers-table.ts';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { BESIDE, ROWS, TRANSFORMATIONS } from './page.ts';

let organization: Organization;
const ids = new Map<string, string>();

beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  for (const { title, definition } of TRANSFORMATIONS) ids.set(title, await make(definition));
});

async function make(definition: Json): Promise<string> {
  const reply = await organization.call('POST', '/templates', JSON.stringify(definition));
  expect(reply).toMatchObject({ status: 200 });
  return (reply.body as { id: string }).id; // Its status says so.
}

/** Runs a template; the output's numbers keep their digits. */
async function run(id: string, input: Json): Promise<{ status: number; body: Json }> {
  const reply = await organization.send('POST', `/templates/${id}`, JSON.stringify(input));
  return { status: reply.status, body: parseJson(await reply.text()) };
}

test('there are ten, three of them in jsonata too', () => {
  expect(TRANSFORMATIONS.length).toBe(10);
  expect(inBoth.length).toBe(3);
});

describe.each(TRANSFORMATIONS)('$title', ({ title, input, output }) => {
  const id = () => ids.get(title) ?? '';

  test('makes what is shown', async () => {
    expect(await run(id(), input)).toEqual({ status: 200, body: output });
  });

  test('renders to the same, with a step for each rule', async () => {
    const { status, body } = await run(`${id()}/render`, input);
    expect({ status, body }).toMatchObject({ status: 200, body: { success: true, output } });
  });
});

const refusing = TRANSFORMATIONS.flatMap(({ title, refused }) =>
  refused ? { title, ...refused } : [],
);
test.each(refusing)('$title refuses what is shown, with all that is wrong', async (shown) => {
  expect(await run(ids.get(shown.title) ?? '', shown.input)).toMatchObject({
    status: 400,
    body: { code: 'TEMPLATE_FAILED', details: shown.details },
  });
});

const inBoth = TRANSFORMATIONS.flatMap(({ jsonata: other, ...shown }) =>
  other === undefined ? [] : { ...shown, other },
);
test.each(inBoth)('$title is what jsonata makes', async ({ other, input, output }) => {
  const made: unknown = await jsonata(other).evaluate(input);
  // Its arrays have members of their own.
  expect(JSON.parse(JSON.stringify(made))).toEqual(output);
});

describe('the table of rules', () => {
  test.each(ROWS)('$rules', async ({ rules, input, output }) => {
    const definition = { ...BESIDE, name: 'Row', id: `row-${randomUUID()}` };
    const id = await make({ ...definition, transformationRules: parseJson(rules) });
    expect(await run(id, parseJson(input))).toEqual({ status: 200, body: parseJson(output) });
  });

  test.each([
    ...['source', 'expression', 'value', 'function', 'args', 'template', 'input', 'copy'],
    ...['initialize', 'mapping', 'transformers', 'condition', 'rules', 'else', 'forEach'],
    ...['array', 'as', 'index', 'filter', 'validation', 'onError', 'from', 'to', 'fields'],
  ])('shows %s', (member) => {
    expect(ROWS.some(({ rules }) => rules.includes(`"${member}":`))).toBe(true);
  });
});

test('the table of transformers is the one of the code', async () => {
  const page = await readFile(join(ROOT, 'docs/templates.md'), 'utf8');
  expect(page).toBe(withTransformers(page));
});
