/** `npm start` as a person meets it: what it says, what it refuses, what it keeps. */

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  dataFolder,
  type Gateway,
  type OwnGateway,
  run,
  runStart,
  sharedGateway,
  startGateway,
} from './gateway.ts';
import { checkedFetch } from './openapi/checked-fetch.ts';
import { ask, newOrganization, success } from './organization.ts';
import { childrenOf } from './processes.ts';

describe('a running gateway', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await sharedGateway();
  });

  test('answers at /healthz and lists its operations at /docs', async () => {
    const health = await checkedFetch(`${gateway.url}/healthz`);
    expect(health.status).toBe(200);
    const docs = await checkedFetch(`${gateway.url}/docs`);
    expect(docs.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await docs.text()).toContain('/endpoints/{endpoint}/read');
  });

  test('keeps its data for its owner alone', async () => {
    const modes = async (folder: string) =>
      Promise.all(
        (await readdir(folder)).map(async (name) => {
          const { mode } = await stat(join(folder, name));
          return `${name} ${(mode & 0o777).toString(8)}`;
        }),
      );
    expect((await stat(gateway.data)).mode & 0o777).toBe(0o700);
    expect((await modes(join(gateway.data, 'keys'))).toSorted()).toEqual([
      'first-password 600',
      'gateway-key.jwk 600',
      'installation-key 600',
      'installation-key.digest 600',
      'jwt-secret 600',
      'relay-node-key.jwk 600',
      'relay.env 600',
    ]);
  });

  test('does not run for a second time on its port', async () => {
    const { port } = new URL(gateway.url);
    const data = await dataFolder();
    const second = runStart(['--port', port, '--relay-port', '0', '--data', data]);
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.output.stderr()).toBe(`Port ${port} is taken; choose another with --port.\n`);
    await rm(data, { recursive: true });
  });
});

describe('refuses in one sentence and with exit code 1', () => {
  let data: string;
  beforeAll(async () => {
    data = await dataFolder();
  });
  afterAll(() => rm(data, { recursive: true }));

  async function refusal(args: string[], env: Record<string, string> = {}) {
    const run = runStart(['--port=0', '--relay-port=0', '--data', data, ...args], { env });
    expect(await run.ended).toEqual({ code: 1, signal: null });
    expect(run.output.stdout()).toBe('');
    return run.output.stderr();
  }

  test("a relay's port that is taken", async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect(await refusal([`--relay-port=${port}`])).toBe(
      `Port ${port} is taken; choose another with --relay-port.\n`,
    );
    other.close();
  });

  test('and leaves no folder behind that it has made', async () => {
    const none = join(data, 'none');
    expect(await refusal(['--host=192.0.2.1', '--data', none])).toContain('192.0.2.1');
    expect(await refusal(['--data', none], { JWT_LIFETIME_S: '1h' })).toBe(
      'Settings: JWT_LIFETIME_S: must be a whole number of seconds, at least 1.\n',
    );
    await expect(stat(none)).rejects.toThrow('ENOENT');
  });

  test('a host that is another machine', async () => {
    expect(await refusal(['--host=192.0.2.1'])).toBe(
      '192.0.2.1 is not an address that this machine can listen on; choose another with --host.\n',
    );
  });

  test('a flag that it does not know', async () => {
    expect(await refusal(['--prot=1'])).toBe(
      "Unknown option '--prot'; did you mean --port? See --help.\n",
    );
  });

  test('a data folder of a newer version', async () => {
    const newer = join(data, 'newer');
    await mkdir(newer);
    await writeFile(join(newer, 'version'), '7\n');
    expect(await refusal(['--data', newer])).toBe(
      `The data folder ${newer} is of version 7, newer than this gateway's 1; update the gateway or choose another with --data.\n`,
    );
  });

  test('a data folder that is a file', async () => {
    const file = join(data, 'file');
    await writeFile(file, '');
    expect(await refusal(['--data', file])).toBe(
      `${file} is not a folder; choose another with --data.\n`,
    );
  });

  test.each([
    { env: { POLICY_TTL_MS: 'soon' }, names: 'POLICY_TTL_MS' },
    { env: { JWT_SECRET: 'short' }, names: 'JWT_SECRET' },
    { env: { RELAY_NODE_KEY: '{}' }, names: 'RELAY_NODE_KEY' },
  ])('$names of a value that cannot be, without telling it', async ({ env, names }) => {
    const said = await refusal([], env);
    expect(said.trimEnd().split('\n')).toHaveLength(1);
    expect(said).toContain(names);
    expect(said).not.toContain(Object.values(env)[0] ?? '');
  });
});

test('--help lists flags and settings on stdout, and touches nothing', async () => {
  const data = join(tmpdir(), `causeway-none-${randomUUID()}`);
  const run = runStart(['--help', '--data', data]);
  expect(await run.ended).toEqual({ code: 0, signal: null });
  expect(run.output.stdout()).toMatch(
    /--relay-port PORT[\s\S]*--demo[\s\S]*JWT_SECRET [\s\S]*TRUSTED_PROXY /,
  );
  await expect(stat(data)).rejects.toThrow('ENOENT');
});

test('the command of --help that reads settings from a file runs by npm, as it stands there', async () => {
  const data = await dataFolder();
  const file = join(data, 'settings');
  await writeFile(file, `HOST='192.0.2.1'\nPORT='0'\nRELAY_PORT='0'\nDATA='${data}'\n`);
  const help = runStart(['--help']);
  await help.ended;
  const [, command = ''] = /^ {2}npm exec -c '(.*)'$/m.exec(help.output.stdout()) ?? [];
  const ran = run('npm', ['exec', '-c', command.replace('FILE', file)], {});
  expect(await ran.ended).toEqual({ code: 1, signal: null });
  expect(ran.output.stderr()).toBe(
    '192.0.2.1 is not an address that this machine can listen on; choose another with --host.\n',
  );
  await rm(data, { recursive: true });
});

describe('what it keeps', () => {
  let data: string;
  beforeAll(async () => {
    data = await dataFolder();
  });
  afterAll(() => rm(data, { recursive: true }));

  test('an organization and a login outlive a restart', async () => {
    const first = await startGateway({ data });
    const { id, token } = await newOrganization(first);
    await first.stop();
    const second = await startGateway({ data });
    const kept = ask(second, 'GET', '/endpoints', undefined, { Authorization: `Bearer ${token}` });
    const again = ask(second, 'POST', '/new', {
      id,
      super_admins: [{ username: `${id}-2`, password: 'long enough' }],
    });
    try {
      expect(await kept).toEqual(success({ endpoints: [] }));
      expect(await again).toMatchObject({ status: 409 });
    } finally {
      await second.stop();
    }
  });
});

describe('a relay that dies', () => {
  let gateway: OwnGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());

  test('is started again, which the log says', async () => {
    const relay = () =>
      childrenOf(gateway.pid).find(({ command }) => command.includes('node-relay/main.ts'));
    const first = relay();
    expect(first).toBeDefined();
    process.kill(first?.pid ?? 0, 'SIGKILL');
    await expect.poll(() => relay()?.pid).not.toBe(first?.pid);
    await expect.poll(() => relay()?.pid).toBeDefined();
    // The log comes by another pipe, in its own time.
    await expect
      .poll(() => gateway.output.stderr())
      .toContain('"message":"The relay ended; starting it again.","how":"SIGKILL"');
  });
});
