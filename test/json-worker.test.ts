/** Large JSON bodies are worked on off the thread that serves requests, by a process that comes when it is needed, and again when it dies. */
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import { checkedFetch } from './openapi/checked-fetch.ts';
import { newOrganization, type Organization } from './organization.ts';
import { childrenOf, type ProcessRow, processes, stillRunning } from './processes.ts';

const MIB = 1024 * 1024;
/** Within which nothing of a stopped gateway is left. */
const STOP_MAX_MS = 5_000;

let gateway: OwnGateway;
let organization: Organization;
let left: ProcessRow[] = [];
beforeEach(async () => {
  gateway = await startGateway({ env: { DRAIN_S: '1' } });
  organization = await newOrganization(gateway);
});
afterEach(async () => {
  await gateway.stop('SIGKILL');
  // A failed test leaves nothing behind either.
  for (const { pid } of stillRunning(left)) process.kill(pid, 'SIGKILL');
});

/** The process, where it runs. */
function jsonWorker(): ProcessRow | undefined {
  const found = childrenOf(gateway.pid).find(({ command }) =>
    command.includes('server/json-worker/main.ts'),
  );
  if (found) left = [...left, found];
  return found;
}

const arrays = (bytes: number) => `{"value":[${'[],'.repeat(bytes / 3)}[]]}`;

async function flatten(body: string, { token }: Organization = organization) {
  const response = await checkedFetch(`${gateway.url}/api/v1/json/flatten`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test('it is not there before the first large body', async () => {
  expect((await flatten(arrays(60_000))).status).toBe(200);
  expect(jsonWorker()).toBeUndefined();
  const { status, body } = await flatten(arrays(300_000));
  expect([status, Object.keys(body).length, body['[100000]']]).toEqual([200, 100_001, []]);
  expect(jsonWorker()).toBeDefined();
});

test('it leaves serving the time that it wants', async () => {
  await flatten(arrays(300_000));
  const nice = execFileSync('ps', ['-o', 'ni=', '-p', String(jsonWorker()?.pid)], {
    encoding: 'utf8',
  });
  expect(Number(nice)).toBeGreaterThan(0);
});

test('one that is killed at work is back, and whoever waits has an answer', async () => {
  await flatten(arrays(300_000));
  const first = jsonWorker();
  const working = Array.from({ length: 3 }, () => flatten(arrays(MIB)));
  await sleep(100);
  process.kill(first?.pid ?? 0, 'SIGKILL');
  expect((await Promise.all(working)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(jsonWorker()?.pid).not.toBe(first?.pid);
  process.kill(jsonWorker()?.pid ?? 0, 'SIGKILL');
  expect((await flatten(arrays(200_000))).status).toBe(200);
});

test('one that is killed again and again is 503, and light requests do not notice', async () => {
  await flatten(arrays(300_000));
  let isOver = false;
  const killing = (async () => {
    while (!isOver) {
      const { pid } = jsonWorker() ?? {};
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      await sleep(20);
    }
  })();
  const large = flatten(arrays(9 * MIB));
  const small = await Promise.all(Array.from({ length: 20 }, () => flatten('{"value":[1]}')));
  expect(small.map(({ status }) => status)).toEqual(small.map(() => 200));
  expect(await large).toEqual({
    status: 503,
    body: {
      error: 'Service unavailable',
      message: 'Large bodies cannot be worked on just now',
      code: 'SERVICE_UNAVAILABLE',
      request_id: expect.any(String),
    },
  });
  isOver = true;
  await killing;
});

test('a client that leaves during the work holds up nobody', async () => {
  await flatten(arrays(300_000));
  const other = await newOrganization(gateway);
  const client = new AbortController();
  const dropped = checkedFetch(`${gateway.url}/api/v1/json/parse`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${organization.token}`,
      'Content-Type': 'application/json',
    },
    // Seconds of work.
    body: `{"paths":["$..[?count(@..*) > 3]"],"json":[${'[[[[1]]]],'.repeat(100_000)}1]}`,
    signal: client.signal,
  }).catch(() => 'aborted');
  await sleep(300);
  client.abort();
  expect(await dropped).toBe('aborted');
  expect((await flatten(arrays(300_000), other)).status).toBe(200);
  expect((await flatten(arrays(300_000))).status).toBe(200);
});

describe('nothing is left', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('of it at work after %s', async (signal) => {
    await flatten(arrays(300_000));
    const worker = jsonWorker();
    left = [...processes().filter(({ pid }) => pid === gateway.pid), ...childrenOf(gateway.pid)];
    const working = flatten(arrays(9 * MIB)).catch(() => undefined);
    await sleep(200);
    const told = performance.now();
    await gateway.stop(signal);
    await expect.poll(() => stillRunning(left), { interval: 100 }).toEqual([]);
    expect(performance.now() - told).toBeLessThan(STOP_MAX_MS);
    expect(worker).toBeDefined();
    await working;
  });
});
