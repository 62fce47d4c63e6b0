/** Passwords are hashed outside of the thread that serves requests: it stays fast, however many logins come. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import { checkedFetch } from './openapi/checked-fetch.ts';
import { childrenOf } from './processes.ts';

/** Contract §3: four at a time, and at most 64 that wait. */
const IN_LINE = 68;

/** How much slower than a gateway that hashes nothing, on a machine whose processors are taken. */
const SLOWER = 3;

let gateway: OwnGateway;
beforeEach(async () => {
  gateway = await startGateway({ env: { TRUSTED_PROXY: '127.0.0.1' } });
});
afterEach(() => gateway.stop());

/** A login that fails, after all its work. */
async function login(address: string) {
  const response = await checkedFetch(`${gateway.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${btoa('nobody:password')}`,
      'X-Org-Id': 'nowhere',
      'X-Forwarded-For': address,
    },
  });
  await response.text();
  const { status, headers } = response;
  return { status, retryAfter: headers.get('Retry-After'), at: performance.now() };
}

/** Another gateway on the same machine, to which nobody logs in. */
async function idleGateway() {
  const idle = await startGateway();
  return {
    url: idle.url,
    pid: idle.pid,
    [Symbol.asyncDispose]: async () => void (await idle.stop()),
  };
}

/** The running hasher, and its socket. */
function hasher() {
  const found = childrenOf(gateway.pid).find(({ command }) =>
    command.includes('server/password-hasher'),
  );
  if (found === undefined) throw new Error('The gateway has no password hasher');
  return { pid: found.pid, socket: found.command.split(' ').at(-1) ?? '' };
}

/** Milliseconds of a processor, in steps of 10. Source: Linux, proc_pid_stat(5). */
function spentBy(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** What a gateway has spent so far: where passwords are hashed, and elsewhere. */
function spent(pid: number) {
  const table = childrenOf(pid);
  const hashers = table.filter(({ command }) => command.includes('server/password-hasher'));
  const sum = (pids: readonly number[]) => pids.reduce((all, each) => all + spentBy(each), 0);
  const hashing = sum(hashers.map((each) => each.pid));
  return { hashing, serving: sum([pid, ...table.map((each) => each.pid)]) - hashing };
}

/** What many requests for nothing took, by turns at both gateways until `end`: the median and the slow ones, in milliseconds. */
async function latencies(end: Promise<unknown>, urls: readonly string[]) {
  let ended = false;
  void end.then(() => {
    ended = true;
  });
  const taken = urls.map((): number[] => []);
  while (!ended) {
    for (const [at, url] of urls.entries()) {
      const started = performance.now();
      await (await checkedFetch(`${url}/healthz`)).text();
      taken[at]?.push(performance.now() - started);
    }
    await sleep(5);
  }
  return taken.map((each) => {
    const sorted = each.toSorted((a, b) => a - b);
    const part = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
    return { median: part(0.5), slow: part(0.95) };
  });
}

test('with the line full, requests are served at once, others have their turn, and one too many is told so', async () => {
  await using beside = await idleGateway();
  const before = { gateway: spent(gateway.pid), idle: spent(beside.pid) };
  const all = Array.from({ length: IN_LINE + 40 }, () => login('203.0.113.1'));
  await sleep(100);
  const other = login('203.0.113.2');
  const urls = [gateway.url, beside.url];
  const [taken, idle] = await latencies(Promise.all(all), urls);
  const replies = await Promise.all(all);
  const after = { gateway: spent(gateway.pid), idle: spent(beside.pid) };
  const refused = replies.filter(({ status }) => status === 503);
  const checked = replies.filter(({ status }) => status === 401);
  expect(refused.length).toBeGreaterThan(0);
  expect(new Set(refused.map(({ retryAfter }) => retryAfter))).toEqual(new Set(['5']));
  expect(checked.length + refused.length).toBe(all.length);
  // Where a machine does much else, many wait long: fair-queue.test.ts tests how many.
  expect(checked.length).toBeGreaterThan(0);
  const { status, at } = await other;
  expect(status).toBe(401);
  expect(checked.filter((each) => each.at > at).length).toBeGreaterThan(checked.length / 2);
  // Both serve the same requests for nothing: the rest is what logins cost besides their hashes.
  const hashing = after.gateway.hashing - before.gateway.hashing;
  const idling = after.idle.serving - before.idle.serving;
  const serving = after.gateway.serving - before.gateway.serving - idling;
  expect(serving / all.length).toBeLessThan(hashing / checked.length / 4);
  // Where a machine does much else, a gateway that hashes nothing is slow as well.
  expect(taken?.median).toBeLessThan(Math.max(30, SLOWER * (idle?.median ?? 0)));
  expect(taken?.slow).toBeLessThan(Math.max(100, SLOWER * (idle?.slow ?? 0)));
});

test('a hasher that is killed is started again, and waiting callers get their answers', async () => {
  const first = hasher();
  const logins = Array.from({ length: 6 }, () => login('203.0.113.1'));
  process.kill(first.pid, 'SIGKILL');
  expect((await Promise.all(logins)).map(({ status }) => status)).toEqual(logins.map(() => 401));
  expect(hasher()).toEqual({ pid: expect.any(Number), socket: first.socket });
  expect(hasher().pid).not.toBe(first.pid);
});

describe('the hasher', () => {
  test('has a socket that is its user’s alone, and leaves serving the time that it wants', () => {
    const { pid, socket } = hasher();
    const mode = execFileSync('ls', ['-ld', dirname(socket)], { encoding: 'utf8' });
    expect(mode).toMatch(/^drwx------/);
    const nice = execFileSync('ps', ['-o', 'ni=', '-p', String(pid)], { encoding: 'utf8' });
    expect(Number(nice)).toBeGreaterThan(0);
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)('is gone with all it had after %s', async (signal) => {
    const { pid, socket } = hasher();
    await gateway.stop(signal);
    await expect.poll(() => existsSync(dirname(socket))).toBe(false);
    await expect.poll(() => childrenOf(1).some((each) => each.pid === pid)).toBe(false);
  });
});
