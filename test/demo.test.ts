/** What `npm start` prints works in a shell: first without the demo, then with it on the same data folder. */

import { execFile } from 'node:child_process';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ROOT } from '../server/bundle.ts';
import { FIRST, FIRST_PASSWORD } from '../server/first-organization.ts';
import { CREATE, CREATE_ACCESS } from '../worker/templates/examples.ts';
import { CREATE as WORKFLOW } from '../worker/workflows/examples.ts';
import { dataFolder, type OwnGateway, startGateway } from './gateway.ts';
import { checkedFetch } from './openapi/checked-fetch.ts';
import { childrenOf, stillRunning } from './processes.ts';
import { freshDatabase } from './servers/backends.ts';

let data: string;
let gateway: OwnGateway;
/** What the lines of a start without the demo answered, before the demo was started on the same folder. */
let first: unknown[];

beforeAll(async () => {
  data = await dataFolder();
  const plain = await startGateway({ data });
  first = await paste(plain.output.stdout(), (await freshDatabase()).url);
  await plain.stop();
  gateway = await startGateway({ data, args: ['--demo'] });
});
afterAll(async () => {
  await gateway.stop();
  await rm(data, { recursive: true, force: true });
});

/** The lines that are to be pasted, run by a shell as they are; answers what each `curl` printed. */
async function paste(printed: string, database = ''): Promise<unknown[]> {
  const script = printed
    .split('\n')
    .filter((line) => /^(curl|TOKEN=)/.test(line))
    .join('\n');
  const env = { ...process.env, DATABASE_URL: database };
  const output = await new Promise<string>((resolve, reject) => {
    execFile('sh', ['-c', `set -eu\n${script}`], { env }, (failure, stdout, stderr) =>
      failure ? reject(new Error(stderr, { cause: failure })) : resolve(stdout),
    );
  });
  return output
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

const REVENUE = {
  status: 'success',
  data: {
    columns: [
      { name: 'category', type: 'text' },
      { name: 'revenue', type: 'numeric' },
    ],
    // Reckoned apart from PostgreSQL, from the same rules as demo-shop.sql.
    rows: [
      { category: 'kitchen', revenue: '45890.00' },
      { category: 'garden', revenue: '43032.00' },
      { category: 'desk', revenue: '30933.00' },
    ],
    row_count: 3,
  },
};

const VERSION = {
  status: 'success',
  data: expect.objectContaining({
    rows: [{ version: expect.stringContaining('PostgreSQL 18') }],
  }),
};

const SUMMARY = {
  customer: 'Ada',
  lines: [
    { sku: 'SKU-0001', amount: 25 },
    { sku: 'SKU-0002', amount: 120 },
  ],
  total: 181.25,
};

/** The record of a run that shipped order 599, or found that it is shipped. */
const shipped = (...actions: readonly string[]) =>
  expect.objectContaining({
    workflow: 'ship-order',
    key: '599',
    status: 'succeeded',
    output: { id: 599, status: 'shipped' },
    actions: actions.map((id) => expect.objectContaining({ id, status: 'succeeded' })),
  });

test('the printed lines make an organization, log in, connect a database and read from it', () => {
  expect(first).toEqual([
    { Ok: expect.stringMatching(/created.*[0-9a-f-]{36}/) },
    { status: 'success', data: expect.objectContaining({ id: 'main', kind: 'Postgres' }) },
    VERSION,
  ]);
});

test('those of the demo log in to the same organization, read from its shop, run its template and its workflow', async () => {
  expect(await paste(gateway.output.stdout())).toEqual([
    REVENUE,
    SUMMARY,
    shipped('load', 'paid', 'ship'),
  ]);
});

test('its endpoint has nothing to warn of', async () => {
  const { organization, username, endpoint } = FIRST;
  const password = (await readFile(join(data, FIRST_PASSWORD), 'utf8')).trim();
  const login = await checkedFetch(`${gateway.url}/api/v1/auth/login`, {
    headers: {
      Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      'X-Org-Id': organization,
    },
  });
  const { token } = (await login.json()) as { token: string }; // Its schema says so.
  const reply = await checkedFetch(`${gateway.url}/api/v1/endpoints/${endpoint}/test`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
  });
  expect(await reply.json()).toEqual({
    status: 'success',
    data: { connected: true, latency_ms: expect.any(Number) },
  });
});

test("its templates are those of the API's description", async () => {
  const file = await readFile(join(ROOT, 'server/demo-templates.json'), 'utf8');
  expect(JSON.parse(file)).toEqual([CREATE, CREATE_ACCESS]);
});

test("its workflow is that of the API's description", async () => {
  const file = await readFile(join(ROOT, 'server/demo-workflows.json'), 'utf8');
  expect(JSON.parse(file)).toEqual([WORKFLOW]);
});

test('tells where to go on', async () => {
  expect(gateway.output.stdout()).toContain(`Causeway answers at ${gateway.url}\n`);
  const docs = /^Documentation: (\S+)$/m.exec(gateway.output.stdout())?.[1] ?? '';
  expect((await checkedFetch(docs)).status).toBe(200);
});

test('tells what it has started, and where', async () => {
  const printed = gateway.output.stdout();
  const [, relay = ''] = /^Relay: 127\.0\.0\.1:(\d+)$/m.exec(printed) ?? [];
  expect(gateway.output.stderr()).toContain(`"port":${relay},`);
  const port = (await readFile(join(data, 'demo/port'), 'utf8')).trim();
  const password = join(data, 'demo/shop-password');
  expect(printed).toContain(
    `\nThe demo's PostgreSQL: 127.0.0.1:${port}, database shop, user shop, password in ${password}\n`,
  );
  expect(printed).toContain(`\nData, with the keys that open it: ${data}\n`);
});

test('passwords are kept for their owner alone; the one that is printed is not in the log', async () => {
  for (const name of ['postgres-password', 'shop-password', 'reader-password']) {
    expect((await stat(join(data, 'demo', name))).mode & 0o777).toBe(0o600);
  }
  const [, password = ''] = /password (\S+), endpoint shop$/m.exec(gateway.output.stdout()) ?? [];
  expect(password).toMatch(/^[\w-]{43}$/);
  expect(gateway.output.stderr()).not.toContain(password);
});

test('its PostgreSQL is started again when it is killed', async () => {
  const servers = () =>
    childrenOf(gateway.pid).filter(({ command }) => command.includes('demo/postgres'));
  const [{ pid } = { pid: 0 }] = servers().filter(({ command }) => command.includes('-D'));
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(
    async () => {
      expect(servers().some((each) => each.pid === pid)).toBe(false);
      const [read] = await paste(gateway.output.stdout());
      expect(read).toEqual(REVENUE);
    },
    { timeout: 60_000, interval: 200 },
  );
});

test('after a restart the same lines do the same', async () => {
  const before = gateway.output.stdout();
  const tree = childrenOf(gateway.pid);
  expect(tree.some(({ command }) => command.includes('demo/postgres'))).toBe(true);
  await gateway.stop();
  expect(stillRunning(tree)).toEqual([]);
  gateway = await startGateway({ data, args: ['--demo'] });
  const demoLine = (printed: string) => /^# The demo: .*$/m.exec(printed)?.[0];
  expect(demoLine(gateway.output.stdout())).toBe(demoLine(before));
  expect(await paste(gateway.output.stdout())).toEqual([REVENUE, SUMMARY, shipped('load', 'paid')]);
});
