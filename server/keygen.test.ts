/** `npm run keygen`: keys that gateway and relay take, and what it refuses. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { readConfig } from '../node-relay/config.ts';
import { nodeUuid } from '../proto/node-id.ts';
import { runScript } from '../test/gateway.ts';
import { SealingKey, SigningKey } from '../worker/nodes/key-shapes.ts';
import { settingsOf } from '../worker/settings.ts';
import { publicHalf } from './key-pairs.ts';

async function keygen(...args: string[]) {
  const { ended, output } = runScript('server/keygen.ts', args);
  const { code } = await ended;
  return { code, stdout: output.stdout(), stderr: output.stderr() };
}

test('prints keys that gateway and relay take, the halves of the same pairs, new in each run', async () => {
  const [one, other] = await Promise.all([keygen(), keygen()]);
  expect(one).toMatchObject({ code: 0, stderr: '' });
  const keys = parseEnv(one.stdout);
  expect(Object.keys(keys).toSorted()).toEqual([
    'GATEWAY_KEY',
    'GATEWAY_PUBLIC_KEY',
    'INSTALLATION_KEY',
    'JWT_SECRET',
    'METRICS_TOKEN',
    'NEW_ORG_TOKEN',
    'RELAY_NODE_KEY',
    'RELAY_NODE_PUBLIC_KEY',
  ]);
  const values = Object.values(keys).map(String);
  expect(values.filter((value) => Object.values(parseEnv(other.stdout)).includes(value))).toEqual(
    [],
  );
  const { GATEWAY_KEY = '', RELAY_NODE_KEY = '' } = keys;
  expect(keys.GATEWAY_PUBLIC_KEY).toBe(publicHalf('GATEWAY_KEY', GATEWAY_KEY));
  expect(keys.RELAY_NODE_PUBLIC_KEY).toBe(publicHalf('RELAY_NODE_KEY', RELAY_NODE_KEY));
  expect(settingsOf(keys)).toMatchObject({ GATEWAY_KEY: JSON.parse(GATEWAY_KEY) });
  expect(readConfig([], keys)?.nodeKey).toEqual(JSON.parse(RELAY_NODE_KEY));
});

test('makes keys of a node of an organization, and the body that registers it', async () => {
  const { stdout } = await keygen('--relay');
  const { RELAY_NODE_KEY = '', RELAY_SIGNING_KEY = '', ...others } = parseEnv(stdout);
  expect(others).toEqual({});
  const body: unknown = JSON.parse(stdout.trimEnd().split('\n').at(-1)?.slice(2) ?? '');
  const KeysOfNode = z.object({ signing_key: SigningKey, sealing_key: SealingKey });
  expect(KeysOfNode.parse(body)).toEqual({
    signing_key: JSON.parse(publicHalf('RELAY_SIGNING_KEY', RELAY_SIGNING_KEY)),
    sealing_key: JSON.parse(publicHalf('RELAY_NODE_KEY', RELAY_NODE_KEY)),
  });
});

test('makes a key of a default relay whose node is there already', async () => {
  const node = randomUUID();
  const { stdout } = await keygen('--node', node.toUpperCase());
  const { RELAY_NODE_KEY = '', RELAY_NODE_PUBLIC_KEY = '', ...others } = parseEnv(stdout);
  expect(others).toEqual({});
  expect(RELAY_NODE_PUBLIC_KEY).toBe(publicHalf('RELAY_NODE_KEY', RELAY_NODE_KEY));
  expect(await nodeUuid(JSON.parse(RELAY_NODE_PUBLIC_KEY))).toBe(node);
});

test('writes files for their owner alone, and never over others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-keygen-'));
  try {
    const [gateway, relay] = [join(folder, 'keys/gateway.env'), join(folder, 'keys/relay.env')];
    const made = await keygen('--out', join(folder, 'keys'));
    expect(made).toEqual({ code: 0, stdout: `${gateway}\n${relay}\n`, stderr: '' });
    expect((await stat(gateway)).mode & 0o777).toBe(0o600);
    expect((await stat(relay)).mode & 0o777).toBe(0o600);
    const text = await readFile(relay, 'utf8');
    expect(Object.keys(parseEnv(text))).not.toContain('GATEWAY_KEY');
    await rm(gateway);
    expect(await keygen('--out', join(folder, 'keys'))).toEqual({
      code: 1,
      stdout: '',
      stderr: `${relay} is there already: its keys may be in use; choose another folder.\n`,
    });
    expect(await readFile(relay, 'utf8')).toBe(text);
    await expect(stat(gateway)).rejects.toThrow('ENOENT');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each([
  [['--keys'], "Unknown option '--keys'; see --help.\n"],
  [
    ['--relay', '--node', randomUUID()],
    '--relay and --node are for two sorts of relays: give one of them.\n',
  ],
  [['--node', 'x'], "--node takes the UUID of a node, not 'x'.\n"],
  [['--out', '/dev/null/keys'], '/dev/null/keys cannot be written (ENOTDIR).\n'],
])('refuses %j in one sentence', async (args, stderr) => {
  expect(await keygen(...args)).toEqual({ code: 1, stdout: '', stderr });
});

test('--help says what the flags are', async () => {
  const { code, stdout } = await keygen('--help');
  expect(code).toBe(0);
  expect(stdout).toContain('--out FOLDER');
});
