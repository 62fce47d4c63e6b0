/** What a killed process leaves of its sockets goes at the next start, and what a living one has stays. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { createServer, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeSocketFolder } from './socket-folder.ts';

const { TMPDIR } = process.env;
let temporary: string;
beforeAll(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'folders-'));
  process.env.TMPDIR = temporary;
});
afterAll(async () => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  await rm(temporary, { recursive: true, force: true });
});

/** Another process that has a folder, with one more socket in it. */
async function owner() {
  const module = JSON.stringify(join(import.meta.dirname, 'socket-folder.ts'));
  const code = `
    const { makeSocketFolder } = await import(${module});
    const { path } = await makeSocketFolder();
    require('node:net').createServer().listen(path + '/0.sock', () => console.log(path));`;
  const child = spawn(
    process.execPath,
    ['--input-type=commonjs', '-e', `(async () => {${code}})()`],
    {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [said] = await once(child.stdout, 'data');
  return { path: String(said).trim(), child };
}

test('a killed owner leaves nothing after the next start, a living one keeps its folder', async () => {
  const [killed, living] = [await owner(), await owner()];
  killed.child.kill('SIGKILL');
  await once(killed.child, 'exit');
  expect(existsSync(join(killed.path, '0.sock'))).toBe(true);
  const mine = await makeSocketFolder();
  expect([killed.path, living.path, mine.path].map((path) => existsSync(path))).toEqual([
    false,
    true,
    true,
  ]);
  mine.remove();
  expect(existsSync(mine.path)).toBe(false);
  living.child.kill('SIGKILL');
});

test('a folder that is just being made stays, one that never was is removed', async () => {
  const [fresh, old] = ['fresh', 'old'].map((name) => join(temporary, `causeway-sockets-${name}`));
  const other = join(temporary, 'another-program');
  for (const path of [fresh, old, other]) await mkdir(path as string);
  const anHourAgo = Date.now() / 1000 - 3_600;
  for (const path of [old, other]) await utimes(path as string, anHourAgo, anHourAgo);
  const mine = await makeSocketFolder();
  expect([fresh, old, other].map((path) => existsSync(path as string))).toEqual([
    true,
    false,
    true,
  ]);
  mine.remove();
});

test('a process whose clock is ahead leaves alone a folder that is just being made', async () => {
  const fresh = join(temporary, 'causeway-sockets-made-now');
  await mkdir(fresh);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 });
  const mine = await makeSocketFolder();
  vi.useRealTimers();
  expect(existsSync(fresh)).toBe(true);
  mine.remove();
});

test('an owner has its socket once it listens, and not before', async () => {
  const listening = vi.spyOn(Server.prototype, 'listen').mockImplementation(function bound(
    this: Server,
    ...given: unknown[]
  ) {
    // As far as the system is between binding and listening.
    writeFileSync(String(given[0]), '');
    return this;
  });
  const before = await readdir(temporary);
  void makeSocketFolder();
  const made = async () => (await readdir(temporary)).find((name) => !before.includes(name));
  await expect.poll(made).toBeDefined();
  await expect.poll(() => listening.mock.calls.length).toBe(1);
  listening.mockRestore();
  const path = join(temporary, (await made()) ?? '');
  const other = await makeSocketFolder();
  expect(existsSync(path)).toBe(true);
  other.remove();
});

test('an owner whose parts do not listen keeps its folder', async () => {
  const first = await makeSocketFolder();
  const part = createServer().listen(join(first.path, '0.sock'));
  await once(part, 'listening');
  await new Promise((resolve) => part.close(resolve));
  const second = await makeSocketFolder();
  expect(existsSync(first.path)).toBe(true);
  first.remove();
  second.remove();
});
