/** `npm start -- --demo`: what it prints works in a shell, and it is the same after a restart. */

import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataFolder, type OwnGateway, startGateway } from './gateway.ts';
import { checkedFetch } from './openapi/checked-fetch.ts';
import { childrenOf, stillRunning } from './processes.ts';

let data: string;
let gateway: OwnGateway;

beforeAll(async () => {
  data = await dataFolder();
  gateway = await startGateway({ data, args: ['--demo'] });
});
afterAll(async () => {
  await gateway.stop();
  await rm(data, { recursive: true, force: true });
});

/** The lines that are to be pasted, run by a shell as they are; answers what each `curl` printed. */
async function paste(printed: string): Promise<unknown[]> {
  const script = printed
    .split('\n')
    .filter((line) => /^(curl|TOKEN=)/.test(line))
    .join('\n');
  const output = await new Promise<string>((resolve, reject) => {
    execFile('sh', ['-c', `set -eu\n${script}`], (failure, stdout, stderr) =>
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

const TOTALS = {
  order: '2026-117',
  lines: [
    { sku: 'A-1', amount: 29.97 },
    { sku: 'B-7', amount: 120 },
  ],
  net: 149.97,
  gross: 164.97,
};

test('the printed lines make an organization, log in, connect a database, read from it and run a template', async () => {
  const replies = await paste(gateway.output.stdout());
  expect(replies).toEqual([
    { Ok: expect.stringMatching(/created.*[0-9a-f-]{36}/) },
    {
      status: 'success',
      data: expect.objectContaining({ id: 'orders', kind: 'Postgres' }),
    },
    VERSION,
    REVENUE,
    TOTALS,
  ]);
});

test('tells where to go on', async () => {
  expect(gateway.output.stdout()).toContain(`Causeway answers at ${gateway.url}\n`);
  const docs = /^Documentation: (\S+)$/m.exec(gateway.output.stdout())?.[1] ?? '';
  expect((await checkedFetch(docs)).status).toBe(200);
});

test('passwords are printed, and kept for their owner alone; none is in the log', async () => {
  for (const name of ['password', 'postgres-password', 'shop-password']) {
    expect((await stat(join(data, 'demo', name))).mode & 0o777).toBe(0o600);
  }
  const [, password = ''] = /user demo, password (\S+),/.exec(gateway.output.stdout()) ?? [];
  expect(password).toMatch(/^[\w-]{43}$/);
  expect(gateway.output.stderr()).not.toContain(password);
});

test('after a restart the same lines work, with the same password and the endpoint in place', async () => {
  const before = gateway.output.stdout();
  const tree = childrenOf(gateway.pid);
  expect(tree.some(({ command }) => command.includes('demo/postgres'))).toBe(true);
  await gateway.stop();
  expect(stillRunning(tree)).toEqual([]);
  gateway = await startGateway({ data, args: ['--demo'] });
  const demoLine = (printed: string) => /^# The demo: .*$/m.exec(printed)?.[0];
  expect(demoLine(gateway.output.stdout())).toBe(demoLine(before));
  const replies = await paste(gateway.output.stdout());
  // The organization and its endpoint are there already; everything else is as before.
  expect(replies).toEqual([
    expect.objectContaining({ code: 'ORGANIZATION_EXISTS' }),
    expect.objectContaining({ code: 'ENDPOINT_EXISTS' }),
    VERSION,
    REVENUE,
    TOTALS,
  ]);
});
