/** What two runs differ in, where values are large or differences many. Spec: workflows.md §6, `diff`. */
import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../proto/json.ts';
import { WorkQueue } from '../../../proto/work/queue.ts';
import { startGateway } from '../../test/gateway.ts';
import { make } from '../test/definitions.ts';

/** Characters of a value that records tell by where it is. */
const LARGE = 70_000;

/** An organization whose workflow echoes its input twice. */
async function startTwice() {
  const gateway = await startGateway('SuperAdmin');
  await gateway.call('POST', '/templates', {
    id: 'echo',
    name: 'Echo',
    transformationRules: [{ target: 'of', source: 'n' }],
  });
  const echo = { type: 'template', template: 'echo', input: { n: '$.input.n' } };
  const actions = [
    { id: 'a', ...echo, next: 'b' },
    { id: 'b', ...echo },
  ];
  await make(gateway, { id: 'twice', name: 'Twice', actions });
  const start = async (n: string) => {
    const reply = await gateway.call('POST', '/workflows/twice?synchronous=true', { n });
    expect(reply).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    return (reply.body as { run_id: string }).run_id;
  };
  const diff = async (a: string, b: string, query = '') =>
    (await gateway.call('GET', `/workflows/twice/executions/${a}/diff?with=${b}${query}`)).body;
  const sent = async (path: string, init: RequestInit = {}) => {
    const headers = { Authorization: `Bearer ${await gateway.token()}` };
    const type = init.body ? { 'Content-Type': 'application/json' } : {};
    return (await gateway.send(path, { ...init, headers: { ...headers, ...type } })).text();
  };
  /** A run whose input is that text. */
  const startWritten = async (body: string) => {
    const path = '/workflows/twice?synchronous=true';
    const record = JSON.parse(await sent(path, { method: 'POST', body })) as JsonObject;
    expect(record).toMatchObject({ status: 'succeeded' });
    return String(record.run_id);
  };
  const diffText = (a: string, b: string) =>
    sent(`/workflows/twice/executions/${a}/diff?with=${b}`);
  return { start, diff, startWritten, diffText };
}

test('large values of one size are the same only where their texts are', async () => {
  const { start, diff } = await startTwice();
  const [one, again, other] = [
    await start('x'.repeat(LARGE)),
    await start('x'.repeat(LARGE)),
    await start(`${'x'.repeat(LARGE - 1)}y`),
  ];
  expect(await diff(one, again)).toEqual({ same: true, version: ['1.0.0', '1.0.0'], actions: [] });
  const value = {
    $large: expect.any(Number),
    href: expect.stringMatching(`^/api/v1/workflows/twice/executions/${other}/values/\\d+$`),
  };
  const replaced = [{ op: 'replace', path: '', value }];
  const action = { status: ['succeeded', 'succeeded'], input: replaced, output: replaced };
  expect(await diff(one, other)).toEqual({
    same: false,
    input: replaced,
    version: ['1.0.0', '1.0.0'],
    actions: [
      { id: 'a', path: 'a', ...action },
      { id: 'b', path: 'b', ...action },
    ],
  });
});

test('every page of runs that differ says so, and of the same ones the only page', async () => {
  const { start, diff } = await startTwice();
  const [one, again, other] = [await start('1'), await start('1'), await start('2')];
  expect(await diff(one, again, '&limit=1')).toMatchObject({ same: true, actions: [] });
  const pages: JsonObject[] = [];
  for (let query = '&limit=1'; query !== ''; ) {
    const page = (await diff(one, other, query)) as JsonObject;
    pages.push(page);
    query = page.next_cursor === undefined ? '' : `&limit=1&cursor=${String(page.next_cursor)}`;
  }
  expect(pages.map(({ same, actions }) => [same, actions])).toEqual([
    [false, [expect.objectContaining({ path: 'a' })]],
    [false, [expect.objectContaining({ path: 'b' })]],
  ]);
});

test.each([
  ['12345678901234567890', '12345678901234567891', '12345678901234567891'],
  ['1e400', '1e401', '1e401'],
  ['1.10', '1.20', '1.20'],
  ['7', '1.20', '1.20'],
  ['{"rawJSON":"1"}', '12345678901234567891', '12345678901234567891'],
  ['1.10', '1.1', undefined],
  ['1e2', '100', undefined],
])('of %s and %s the patch has the number as it was written', async (from, to, value) => {
  const { startWritten, diffText } = await startTwice();
  const [a, b] = [await startWritten(`{"n":${from}}`), await startWritten(`{"n":${to}}`)];
  const text = await diffText(a, b);
  expect(text).not.toContain('/rawJSON');
  if (value === undefined) {
    expect(text).toBe('{"same":true,"version":["1.0.0","1.0.0"],"actions":[]}');
    return;
  }
  // Of the run, and of both actions.
  const patch = `"input":[{"op":"replace","path":"/n","value":${value}}]`;
  expect(text.split(patch)).toHaveLength(4);
});

test('each value that differs is compared in a turn of its own', async () => {
  const { start, diff } = await startTwice();
  const [one, same, other] = [await start('x'), await start('x'), await start('y')];
  const worked = vi.spyOn(WorkQueue.prototype, 'work');
  const turnsOf = async (with_: string) => {
    worked.mockClear();
    expect(await diff(one, with_)).toMatchObject({ same: with_ === same });
    return worked.mock.calls.length;
  };
  const alike = await turnsOf(same);
  // The input of the run, and input and output of both actions.
  expect(await turnsOf(other)).toBe(alike + 5);
  worked.mockRestore();
});
