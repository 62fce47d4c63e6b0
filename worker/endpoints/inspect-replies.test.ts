/** A node may answer a question after tables with anything: it is told as no reply, at its first fault. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { LINE_MAX_BYTES } from '../../proto/log-line.ts';
import { failure } from '../test/gateway.ts';
import { bytes, startRunning } from '../test/running.ts';

/** Far more than it takes; with a fault for each element it took minutes. */
const AT_ONCE_MS = 3_000;
const column = '{"name":"a","type":"text","nullable":true}';
const table = (members: string) =>
  `[{"namespace":"public","name":"t","type":"table","columns":[],"primary_key":[],"indexes":[]${members}}]`;

function linesOf(): string[] {
  const lines: string[] = [];
  const spy = vi.spyOn(console, 'error').mockImplementation((line) => lines.push(String(line)));
  onTestFinished(() => spy.mockRestore());
  return lines;
}

test.each<[string, string, string]>([
  ['nothing', '', 'it is no JSON'],
  ['no JSON', 'garbage"}', 'it is no JSON'],
  ['half of JSON', `[${column}`, 'it is no JSON'],
  ['what nests too deep', `${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}`, 'it nests too deep'],
  ['null', 'null', 'tables is no list'],
  ['an object', '{"a":1}', 'tables is no list'],
  ['a million numbers', `[${'0,'.repeat(1_000_000)}0]`, 'tables are more than 1000'],
  ['numbers', `[${'0,'.repeat(900)}0]`, 'tables[0] is no object'],
  [
    'a table without a name',
    '[{"columns":[],"indexes":[],"primary_key":[]}]',
    'tables[0].namespace is no text',
  ],
  ['a type that is a number', table(',"type":7'), 'tables[0].type is no text'],
  [
    'a key of numbers',
    table(`,"primary_key":[${'0,'.repeat(200_000)}0]`),
    'tables[0].primary_key[0] is no text',
  ],
  [
    'columns of another shape',
    table(`,"columns":[${column},[${'0,'.repeat(200_000)}0]]`),
    'tables[0].columns[1] is no object',
  ],
  [
    'a column that is nearly one',
    table(',"columns":[{"name":"a","type":"text"}]'),
    'tables[0].columns[0].nullable is no truth value',
  ],
  [
    'indexes of another shape',
    table(',"indexes":[{"name":"i","unique":true,"columns":"a"}]'),
    'tables[0].indexes[0].columns is no list',
  ],
])('%s is no reply', async (_, tables, fault) => {
  const lines = linesOf();
  const gateway = await startRunning({ inspect: () => ({ tables: bytes(tables), more: true }) });
  const started = performance.now();
  expect(await gateway.call('GET', '/endpoints/orders/schema')).toEqual({
    status: 503,
    body: failure('NODE_UNAVAILABLE', 'The node answered what is no reply'),
  });
  expect(performance.now() - started).toBeLessThan(AT_ONCE_MS);
  const failed = lines.filter((line) => line.includes('"request failed"'));
  expect(failed.map((line) => JSON.parse(line))).toMatchObject([
    { code: 'NODE_UNAVAILABLE', fault },
  ]);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(LINE_MAX_BYTES);
});

test('members that are not known are left out', async () => {
  const gateway = await startRunning({ inspect: () => ({ tables: bytes(table(',"x":1')) }) });
  const { type, columns, primary_key, indexes } = JSON.parse(table(''))[0];
  expect(await gateway.call('GET', '/endpoints/orders/schema')).toMatchObject({
    body: {
      data: {
        namespaces: [
          { name: 'public', tables: [{ name: 't', type, columns, primary_key, indexes }] },
        ],
      },
    },
  });
});
