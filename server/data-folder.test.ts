/** The data folder: the owner's alone, of a version, with secrets made once. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDataFolder, secretIn } from './data-folder.ts';
import { Failure } from './failure.ts';
import { publicHalf } from './key-pairs.ts';
import { readKeys } from './keys.ts';

let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'causeway-data-folder-'));
});
afterAll(() => rm(base, { recursive: true, force: true }));

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe('the folder', () => {
  test('is for its owner alone, even where it was there and open to others', async () => {
    await mkdir(join(base, 'open'), { mode: 0o755 });
    for (const name of ['open', 'new/and/deep']) {
      const { path } = await openDataFolder(join(base, name));
      expect(await modeOf(path)).toBe('700');
      expect(await modeOf(join(path, 'keys'))).toBe('700');
    }
  });

  test.each([
    { version: '2\n', message: / is of version 2, newer than this gateway's 1; update / },
    { version: 'x\n', message: / is not a data folder of the gateway; / },
    { version: '', message: / is not a data folder of the gateway; / },
  ])('of version $version is refused, and left as it is', async ({ version, message }) => {
    const path = await mkdtemp(join(base, 'version-'));
    await writeFile(join(path, 'version'), version);
    await expect(openDataFolder(path)).rejects.toThrow(Failure);
    await expect(openDataFolder(path)).rejects.toThrow(message);
    expect(await readdir(path)).toEqual(['version']);
    expect(await readFile(join(path, 'version'), 'utf8')).toBe(version);
  });

  test('cannot be a file, or lie where nothing can be written', async () => {
    const file = join(base, 'file');
    await writeFile(file, '');
    await expect(openDataFolder(file)).rejects.toThrow(/ is not a folder; /);
    await expect(openDataFolder(join(file, 'below'))).rejects.toThrow(/ is not a folder; /);
    for (const nowhere of ['/sys/causeway', '/proc/causeway', '/proc/self/fd/causeway/deep']) {
      await expect(openDataFolder(nowhere)).rejects.toThrow(/ cannot be written \(\w+\); /);
    }
    for (const name of ['keys', 'state']) {
      const path = await mkdtemp(join(base, 'odd-'));
      await writeFile(join(path, name), '');
      await expect(openDataFolder(path)).rejects.toThrow(`${name} is not a folder; `);
    }
  });
});

describe('a secret', () => {
  test('is made once, for its owner alone, also when two ask at once', async () => {
    const folder = await openDataFolder(join(base, 'secrets'));
    const [one, other] = await Promise.all([
      secretIn(folder, 'keys/s'),
      secretIn(folder, 'keys/s'),
    ]);
    expect(one).toMatch(/^[\w-]{43}$/);
    expect([other, await secretIn(folder, 'keys/s')]).toEqual([one, one]);
    expect(await modeOf(join(folder.path, 'keys/s'))).toBe('600');
  });

  test('that others can read is refused', async () => {
    const folder = await openDataFolder(join(base, 'read'));
    await secretIn(folder, 'keys/s');
    await chmod(join(folder.path, 'keys/s'), 0o644);
    await expect(secretIn(folder, 'keys/s')).rejects.toThrow(
      /^Others can read .*keys\/s; run chmod 600 /,
    );
  });
});

describe('keys', () => {
  test('are made on first use in files named for what they are, and stay', async () => {
    const folder = await openDataFolder(join(base, 'keys'));
    const made = await readKeys(folder, {});
    expect((await readdir(join(folder.path, 'keys'))).toSorted()).toEqual([
      'gateway-key.jwk',
      'installation-key',
      'installation-key.digest',
      'jwt-secret',
      'relay-node-key.jwk',
    ]);
    expect(await readKeys(folder, {})).toEqual(made);
    expect(JSON.parse(made.GATEWAY_KEY)).toMatchObject({ kty: 'OKP', crv: 'Ed25519' });
    expect(JSON.parse(made.RELAY_NODE_KEY)).toMatchObject({ kty: 'EC', crv: 'P-256' });
  });

  test('of the environment win, and then none is made', async () => {
    const folder = await openDataFolder(join(base, 'environment'));
    const given = {
      JWT_SECRET: 'a',
      INSTALLATION_KEY: 'b'.repeat(43),
      GATEWAY_KEY: 'c',
      RELAY_NODE_KEY: 'd',
    };
    expect(await readKeys(folder, given)).toEqual({ ...given, previous: {} });
    expect(await readdir(join(folder.path, 'keys'))).toEqual(['installation-key.digest']);
  });

  test.each([
    ['installation-key', undefined, /installation-key is missing, and the data folder has state/],
    [
      'installation-key',
      '',
      /installation-key is empty\. Restore the file from a backup, or choose/,
    ],
    ['installation-key', 'half', /installation-key is no whole key\. Restore/],
    ['gateway-key.jwk', undefined, /gateway-key\.jwk is missing, and the data folder has state/],
    ['gateway-key.jwk', '{"kty":"OKP"', /gateway-key\.jwk is no whole key/],
    ['relay-node-key.jwk', '', /relay-node-key\.jwk is empty/],
    ['jwt-secret', 'short', /jwt-secret is no whole key/],
  ])('next to state: %s of %j is refused, and nothing is made', async (name, content, message) => {
    const folder = await openDataFolder(await mkdtemp(join(base, 'lost-')));
    const made = await readKeys(folder, {});
    await writeFile(join(folder.state, 'table'), 'x');
    expect(await readKeys(folder, {})).toEqual(made);
    const file = join(folder.path, 'keys', name);
    await rm(file);
    if (content !== undefined) await writeFile(file, content, { mode: 0o600 });
    const before = await readdir(join(folder.path, 'keys'));
    await expect(readKeys(folder, {})).rejects.toThrow(Failure);
    await expect(readKeys(folder, {})).rejects.toThrow(message);
    expect(await readdir(join(folder.path, 'keys'))).toEqual(before);
  });

  test('that is not the one of the state is refused, from the environment too, unless the former one is given', async () => {
    const folder = await openDataFolder(join(base, 'other'));
    const { INSTALLATION_KEY } = await readKeys(folder, {});
    await writeFile(join(folder.state, 'table'), 'x');
    const other = { INSTALLATION_KEY: 'c'.repeat(43) };
    await expect(readKeys(folder, other)).rejects.toThrow(
      /^The installation key is not the one that the state in .* is sealed with\. Restore /,
    );
    expect(await readKeys(folder, { INSTALLATION_KEY })).toMatchObject({ INSTALLATION_KEY });
    const rotated = { ...other, INSTALLATION_KEY_PREVIOUS: INSTALLATION_KEY };
    expect(await readKeys(folder, rotated)).toMatchObject(other);
    expect(await readKeys(folder, other)).toMatchObject(other);
  });

  test('show their public half without the private one', async () => {
    const folder = await openDataFolder(join(base, 'halves'));
    const { GATEWAY_KEY, RELAY_NODE_KEY } = await readKeys(folder, {});
    expect(Object.keys(JSON.parse(publicHalf('GATEWAY_KEY', GATEWAY_KEY)))).toEqual([
      'kty',
      'crv',
      'x',
    ]);
    expect(Object.keys(JSON.parse(publicHalf('RELAY_NODE_KEY', RELAY_NODE_KEY)))).toEqual([
      'kty',
      'crv',
      'x',
      'y',
    ]);
    for (const wrong of [
      '',
      '{}',
      'null',
      RELAY_NODE_KEY,
      publicHalf('GATEWAY_KEY', GATEWAY_KEY),
    ]) {
      expect(() => publicHalf('GATEWAY_KEY', wrong)).toThrow('GATEWAY_KEY is not a private JWK');
    }
  });
});
