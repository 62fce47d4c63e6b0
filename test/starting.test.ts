/** The start as early clients and a damaged data folder meet it. */
import { randomUUID } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../server/ports.ts';
import { dataFolder, type OwnGateway, runStart, startGateway } from './gateway.ts';
import { childrenOf, stillRunning } from './processes.ts';

/** Asks again and again, from now on; answers what stops it with all that came. */
function hammer(port: number, method: string, path: string, body?: object) {
  const seen: string[] = [];
  let goesOn = true;
  const asked = (async () => {
    while (goesOn) seen.push(await statusOf(port, method, path, body));
  })();
  return async () => {
    goesOn = false;
    await asked;
    return [...new Set(seen)];
  };
}

function statusOf(port: number, method: string, path: string, body?: object): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const headers = {
    'Content-Type': 'application/json',
    'X-Org-Id': 'nobody',
    Authorization: `Basic ${Buffer.from('nobody:nothing').toString('base64')}`,
  };
  const asked = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
  asked.on('response', (reply) => {
    reply.resume().on('end', () => resolve(String(reply.statusCode)));
    reply.on('error', () => resolve('cut off'));
  });
  asked.on('error', (fault: NodeJS.ErrnoException) =>
    // As fast as clients do: the next try after a moment.
    setTimeout(() => resolve(fault.code ?? fault.message), 5),
  );
  asked.end(body && JSON.stringify(body));
  return promise;
}

test('clients that ask from before the start are answered when all is ready, and do not hold it up', async () => {
  const port = await freePort('127.0.0.1');
  const alone = Date.now();
  await (await startGateway({ args: ['--port', String(port)] })).stop();
  const aloneMs = Date.now() - alone;
  const name = randomUUID().slice(0, 8);
  const made = { id: `early-${name}`, super_admins: [{ username: name, password: 'long enough' }] };
  const stops = [
    hammer(port, 'GET', '/healthz'),
    hammer(port, 'POST', '/api/v1/new', made),
    hammer(port, 'POST', '/api/v1/auth/login'),
  ];
  const started = Date.now();
  const gateway = await startGateway({ args: ['--port', String(port)] });
  const startMs = Date.now() - started;
  const [health = [], created = [], login = []] = await Promise.all(stops.map((stop) => stop()));
  await gateway.stop();
  const none = ['ECONNREFUSED'];
  expect(health.filter((each) => !['200', '503', ...none].includes(each))).toEqual([]);
  expect(created.filter((each) => !['200', '409', ...none].includes(each))).toEqual([]);
  expect(login.filter((each) => !['401', ...none].includes(each))).toEqual([]);
  expect(startMs).toBeLessThan(2 * aloneMs + 5_000);
}, 180_000);

describe('a data folder', () => {
  let gateway: OwnGateway;
  let data: string;
  beforeAll(async () => {
    data = await dataFolder();
    gateway = await startGateway({ data });
  });
  afterAll(async () => {
    await gateway.stop('SIGKILL');
    await rm(data, { recursive: true, force: true });
  });

  async function refusal(): Promise<string> {
    const run = runStart(['--port=0', '--relay-port=0', '--data', data]);
    expect(await run.ended).toEqual({ code: 1, signal: null });
    expect(run.output.stdout()).toBe('');
    return run.output.stderr();
  }

  test('serves one gateway at a time, whose death frees it', async () => {
    expect(await refusal()).toBe(
      `The data folder ${data} is in use by another gateway; stop that one, or choose another with --data.\n`,
    );
    const tree = childrenOf(gateway.pid);
    await gateway.stop('SIGKILL');
    gateway = await startGateway({ data });
    await expect.poll(() => stillRunning(tree), { timeout: 5_000 }).toEqual([]);
  });

  test('whose tables cannot be brought up to date is not served, and says why', async () => {
    await gateway.stop();
    const state = join(data, 'state');
    const files = await readdir(state, { recursive: true });
    const tables = files.find((each) => /D1DatabaseObject.*[0-9a-f]{64}\.sqlite$/.test(each)) ?? '';
    const database = new DatabaseSync(join(state, tables));
    database.exec('DELETE FROM d1_migrations WHERE id = (SELECT max(id) FROM d1_migrations)');
    database.close();
    expect(await refusal()).toMatch(
      /The tables cannot be brought up to date: \S+\.sql failed \(.*\), and nothing of it was changed\. Restore /,
    );
  });

  test('without its installation key is not served', async () => {
    const key = join(data, 'keys/installation-key');
    await rm(key);
    const sentence = 'Restore the file from a backup, or choose another folder with --data.\n';
    expect(await refusal()).toBe(
      `${key} is missing, and the data folder has state: its connections are sealed with it. ${sentence}`,
    );
    await writeFile(key, '', { mode: 0o600 });
    expect(await refusal()).toBe(`${key} is empty. ${sentence}`);
    await writeFile(key, `${'A'.repeat(42)}\n`, { mode: 0o600 });
    expect(await refusal()).toBe(`${key} is no whole key. ${sentence}`);
    await writeFile(key, `${'A'.repeat(43)}\n`, { mode: 0o600 });
    expect(await refusal()).toMatch(/^The installation key is not the one that the state in /);
  });
});
