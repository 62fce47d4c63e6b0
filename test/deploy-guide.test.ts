/** The commands of docs/deploy.md for a gateway here and a relay there, as a person types them. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../server/bundle.ts';
import { freePort } from '../server/ports.ts';
import { dataFolder } from './gateway.ts';

const run = promisify(execFile);
let folder: string;
let commands: readonly string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-guide-'));
  const page = await readFile(join(ROOT, 'docs/deploy.md'), 'utf8');
  const [, section = ''] = /^## Gateway here, relays there\n([\s\S]*?)^## /m.exec(page) ?? [];
  commands = [...section.matchAll(/^```text\n([\s\S]*?)^```/gm)].map(([, text = '']) =>
    text.trim(),
  );
});
afterAll(() => rm(folder, { recursive: true }));

/** Starts a command of the page in a process group of its own. */
function start(command: string, env: Readonly<Record<string, string>>) {
  const child = spawn('sh', ['-c', `exec env ${command}`], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', HOME: folder, LOG_FORMAT: 'json', ...env },
  });
  const written = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      written.text += chunk.toString();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, written, ended };
}

test('make keys, start a relay and a gateway that finds it', async () => {
  expect(commands).toHaveLength(3);
  const [keys, data, port, relayPort] = [
    join(folder, 'keys'),
    await dataFolder(),
    await freePort('127.0.0.1'),
    await freePort('127.0.0.1'),
  ];
  const [keygen = '', relayCommand = '', gatewayCommand = ''] = commands.map((command) =>
    command
      .replaceAll('8788', String(relayPort))
      .replaceAll('=keys/', `=${keys}/`)
      .replace('--out keys', `--out ${keys}`),
  );
  const made = await run('sh', ['-c', keygen], { cwd: ROOT });
  expect(made.stdout).toBe(`${keys}/gateway.env\n${keys}/relay.env\n`);
  const relay = start(relayCommand, { RELAY_STAND_INS: '0' });
  const gateway = start(gatewayCommand, { PORT: String(port), DATA: data });
  try {
    await expect.poll(() => relay.written.text, { timeout: 60_000 }).toContain('relay ready');
    await expect.poll(() => gateway.written.text, { timeout: 60_000 }).toContain('answers at');
    // The token of keys/gateway.env is in force.
    expect(gateway.written.text).toContain('$NEW_ORG_TOKEN');
  } finally {
    relay.child.kill('SIGTERM');
    gateway.child.kill('SIGTERM');
  }
  expect([await relay.ended, await gateway.ended]).toEqual([0, 0]);
  await rm(data, { recursive: true });
});
