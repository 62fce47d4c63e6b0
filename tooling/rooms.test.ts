/** Each rule of the rooms is broken on purpose, in a tree of its own, and is seen. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FORBIDDEN } from '../dependency-cruiser.config.ts';
import { imports, roomFaults, withRooms } from './rooms.ts';

/** The rest of a circle, which is told once. */
const BACK = '';

/** Who imports what it may not, by the rule that says so. */
const BROKEN: readonly (readonly [rule: string, from: string, to: string, types?: 'types'])[] = [
  ['proto imports no other room', 'proto/a.ts', 'kinds/a.ts'],
  ['kinds imports proto', 'kinds/b.ts', 'worker/settings.ts'],
  ['node-relay imports kinds, proto', 'node-relay/a.ts', 'worker/settings.ts'],
  ['worker imports kinds, proto, vendor', 'worker/http/a.ts', 'node-relay/drivers/a.ts'],
  ['server imports worker, node-relay, kinds, proto', 'server/a.ts', 'tooling/a.ts'],
  ['tooling imports test, server, worker, kinds, proto', 'tooling/a.ts', 'bench/a.ts'],
  ['bench imports test, server, worker, node-relay, kinds, proto', 'bench/a.ts', 'tooling/a.ts'],
  ['documents and facades', 'worker/openapi/a.ts', 'worker/app.ts'],
  ['operations', 'worker/users/get.ts', 'worker/docs/a.ts'],
  ['http', 'worker/http/b.ts', 'worker/users/update.ts'],
  ['runs', 'worker/runs/a.ts', 'worker/http/c.ts'],
  ['calls', 'worker/calls/a.ts', 'worker/runs/b.ts'],
  ['once', 'worker/idempotency/a.ts', 'worker/calls/b.ts'],
  ['reach', 'worker/reach/a.ts', 'worker/idempotency/b.ts'],
  ['resources', 'worker/users/rows.ts', 'worker/reach/b.ts'],
  ['operation', 'worker/route.ts', 'worker/users/rights.ts'],
  ['ground', 'worker/access/a.ts', 'worker/users/rights.ts'],
  ['cellar', 'worker/settings.ts', 'worker/limits/a.ts'],
  ['parts', 'node-relay/parts/a.ts', 'node-relay/main.ts'],
  ['service', 'node-relay/b.ts', 'node-relay/parts/b.ts'],
  ['drivers', 'node-relay/drivers/b.ts', 'node-relay/pools.ts'],
  ['documents and facades', 'worker/openapi/t.ts', 'worker/app.ts', 'types'],
  ['operations', 'worker/users/delete.ts', 'worker/docs/a.ts', 'types'],
  ['http', 'worker/http/t.ts', 'worker/users/update.ts', 'types'],
  ['runs', 'worker/runs/t.ts', 'worker/http/c.ts', 'types'],
  ['calls', 'worker/calls/t.ts', 'worker/runs/b.ts', 'types'],
  ['once', 'worker/idempotency/t.ts', 'worker/calls/b.ts', 'types'],
  ['reach', 'worker/reach/t.ts', 'worker/idempotency/b.ts', 'types'],
  ['resources', 'worker/users/types.ts', 'worker/reach/b.ts', 'types'],
  ['ground', 'worker/access/t.ts', 'worker/users/rights.ts', 'types'],
  ['cellar', 'worker/levels.ts', 'worker/limits/a.ts', 'types'],
  ['parts', 'node-relay/parts/t.ts', 'node-relay/main.ts', 'types'],
  ['service', 'node-relay/t.ts', 'node-relay/parts/b.ts', 'types'],
  ['drivers', 'node-relay/drivers/t.ts', 'node-relay/pools.ts', 'types'],
  ['no circle by value', 'worker/json/a.ts', 'worker/json/b.ts'],
  [BACK, 'worker/json/b.ts', 'worker/json/a.ts'],
  ['no circle beyond one folder', 'worker/grants/a.ts', 'worker/grants/within/b.ts', 'types'],
  [BACK, 'worker/grants/within/b.ts', 'worker/grants/a.ts', 'types'],
  ['only what mounts routes imports them', 'worker/users/update.ts', 'worker/users/routes.ts'],
  ['what runs imports no test support', 'worker/users/create.ts', 'worker/test/a.ts'],
  ['the relay loads nothing that only describes', 'node-relay/c.ts', 'kinds/describe.ts'],
];

/** The rule of each row, by its whole name: of layers, only what they are is named above. */
function ruleOf([rule, , , types]: (typeof BROKEN)[number]): string {
  if (FORBIDDEN.some(({ name }) => name === rule)) return rule;
  return `${rule} imports ${types ? 'no types' : 'nothing'} above it`;
}

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'causeway-rooms-'));
  const lines = new Map<string, string[]>();
  for (const [, from, to, types] of BROKEN) {
    const path = `${'../'.repeat(from.split('/').length - 1)}${to}`;
    const line = `import ${types ? 'type ' : ''}{ x as x${lines.get(from)?.length ?? 0} } from '${path}';`;
    lines.set(from, [...(lines.get(from) ?? []), line]);
    if (!lines.has(to)) lines.set(to, []);
  }
  const query = "import { eq } from '../../node_modules/drizzle-orm/index.js';";
  lines.set('worker/users/list.ts', [query]);
  lines.set('node_modules/drizzle-orm/index.js', ['export const eq = 1;']);
  for (const [file, written] of lines) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), [...written, 'export const x = 1;', ''].join('\n'));
  }
});
afterAll(() => rm(root, { recursive: true, force: true }));

test('every rule is broken by what breaks it, and by nothing else', async () => {
  const folders = ['proto', 'kinds', 'worker', 'node-relay', 'server', 'tooling', 'bench'];
  const { summary } = await imports(root, folders);
  const seen = summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`);
  const expected = [
    ...BROKEN.filter(([rule]) => rule !== BACK).map((row) => `${ruleOf(row)}: ${row[1]}`),
    'queries live in store.ts: worker/users/list.ts',
  ];
  expect(expected.filter((each) => !seen.includes(each))).toEqual([]);
  const broken = new Set(expected.map((each) => each.split(': ')[0]));
  expect(FORBIDDEN.map(({ name }) => name ?? '').filter((name) => !broken.has(name))).toEqual([]);
});

test('a file that is too long or does not say what it is for is a fault', async () => {
  const found = await imports(root, ['proto']);
  const long = { ...found, summary: { ...found.summary, violations: [] } };
  expect(await roomFaults(long)).toEqual([]);
  await writeFile(
    join(root, 'proto/a.ts'),
    `/** Says it. */\n${'export const x = 1;\n'.repeat(300)}`,
  );
  await mkdir(join(root, 'test/proofs'), { recursive: true });
  await writeFile(join(root, 'test/proofs/b.ts'), 'export const x = 1;\n'.repeat(302));
  expect(await roomFaults(long, root)).toEqual([
    'at most 300 lines a file: proto/a.ts has 301',
    'a file opens with one line on what it is for: kinds/a.ts does not',
    'at most 300 lines a file: test/proofs/b.ts has 302',
    'a file opens with one line on what it is for: test/proofs/b.ts does not',
  ]);
});

test('a page without a place for the picture is refused', async () => {
  expect(() =>
    withRooms('# Nothing', { modules: [], summary: { violations: [] } } as never),
  ).toThrow('docs/architecture.md has no place for the rooms.');
});
