/** `npm run dev`: the worker by `wrangler dev`, with a relay, ended together. */

import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataFolder, runScript } from './gateway.ts';
import { checkedFetch } from './openapi/checked-fetch.ts';
import { childrenOf, stillRunning } from './processes.ts';

test('answers, keeps its secrets to itself, and stops whole', async () => {
  const data = await dataFolder();
  const dev = runScript('server/dev.ts', ['--port=0', '--relay-port=0', '--data', data]);
  const ready = () => /Ready on (\S+)/.exec(dev.output.stdout())?.[1];
  await expect.poll(ready, { timeout: 150_000 }).toBeDefined();
  expect((await checkedFetch(`${ready()}/healthz`)).status).toBe(200);
  expect((await stat(join(data, 'dev.env'))).mode & 0o777).toBe(0o600);
  const tree = childrenOf(dev.process.pid ?? 0);
  expect(tree.map(({ command }) => command).join('\n')).toContain('node-relay/main.ts');
  dev.process.kill('SIGTERM');
  expect(await dev.ended).toEqual({ code: 0, signal: null });
  await expect.poll(() => stillRunning(tree)).toEqual([]);
  await rm(data, { recursive: true });
});

test.each([
  [
    '--demo',
    'npm run dev serves this machine alone: --host, --demo and TRUSTED_PROXY are for npm start.',
  ],
  ['--workers=2', 'npm run dev runs one runtime: --workers is for npm start.'],
])('says that %s is not for it', async (flag, sentence) => {
  const dev = runScript('server/dev.ts', [flag]);
  expect(await dev.ended).toEqual({ code: 1, signal: null });
  expect(dev.output.stderr()).toBe(`${sentence}\n`);
});
