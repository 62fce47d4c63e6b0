/** What the log cannot write harms nobody. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { GatewayError } from '../proto/errors.ts';
import { freePort } from '../server/ports.ts';
import { describeFault } from './log.ts';
import { makeKeys } from './test/relay.ts';

/** Milliseconds after which a start hangs: nothing is judged by it. */
const HANG_MS = 300_000;
/** A disk without room, on Linux. */
const FULL = '/dev/full';

let relay: ReturnType<typeof spawn> | undefined;
afterEach(() => relay?.kill('SIGKILL'));

test.skipIf(process.platform !== 'linux')(
  'a relay serves and stops while its log is on a full disk',
  async () => {
    const [keys, port] = await Promise.all([makeKeys(), freePort('127.0.0.1')]);
    const full = openSync(FULL, 'w');
    const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
      env: {
        RELAY_PORT: String(port),
        RELAY_NODE_KEY: JSON.stringify(keys.nodePrivate),
        GATEWAY_PUBLIC_KEY: JSON.stringify(keys.gatewayPublic),
      },
      stdio: ['ignore', full, full],
    });
    relay = child;
    closeSync(full);
    const status = () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then((reply) => reply.status, String);
    await expect.poll(status, { timeout: HANG_MS }).toBe(200);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  },
  2 * HANG_MS,
);

test('what is said last is written, also while earlier lines are being written', {
  timeout: HANG_MS,
}, async () => {
  const program = `
    const { createLog, exitAfterLines } = await import('${join(import.meta.dirname, 'log.ts')}');
    const log = createLog({ logFormat: 'json', logLevel: 'info' });
    log.info('earlier');
    log.flush();
    log.fatal('last');
    exitAfterLines(log, 1, ${HANG_MS});`;
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile(process.execPath, ['--input-type=module', '-e', program], (_failed, stdout) =>
    resolve(stdout),
  );
  const lines = (await promise).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(['earlier', 'last']);
});

test('what a backend may have named is cut', () => {
  const long = 'M'.repeat(20_000_000);
  const error = Object.assign(new Error(long), { name: long, code: long });
  error.stack = `${long}\n    at ${long}\n    at ${long}`;
  for (const each of [error, new GatewayError('INTERNAL', 'x', { cause: error })]) {
    expect(JSON.stringify(describeFault(each)).length).toBeLessThan(1_000);
  }
});
