/** Settings: what is taken, and the one sentence for what is not. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../server/ports.ts';
import { HELP, readConfig } from './config.ts';
import { type Keys, makeKeys } from './test/relay.ts';

let keys: Keys;
let env: Record<string, string>;
beforeAll(async () => {
  keys = await makeKeys();
  env = {
    RELAY_NODE_KEY: JSON.stringify(keys.nodePrivate),
    GATEWAY_PUBLIC_KEY: JSON.stringify(keys.gatewayPublic),
  };
});

describe('settings', () => {
  test('have defaults for all but the keys', () => {
    expect(readConfig([], env)).toMatchObject({
      port: 8788,
      host: '127.0.0.1',
      allow: { everything: false },
      gateway: undefined,
      tls: undefined,
    });
  });

  test('are taken from flags before the environment', () => {
    const set = { ...env, RELAY_PORT: '1', RELAY_HOST: '::1', GATEWAY_URL: 'https://a.example' };
    expect(readConfig([], set)).toMatchObject({
      port: 1,
      host: '::1',
      gateway: { host: 'a.example', port: 443 },
    });
    const flags = ['--port', '0', '--host', '0.0.0.0', '--gateway', 'http://127.0.0.1:8787/api'];
    expect(readConfig(flags, set)).toMatchObject({
      port: 0,
      host: '0.0.0.0',
      gateway: { host: '127.0.0.1', port: 8787 },
    });
  });

  test("take the gateway's current key and the one before", async () => {
    const before = (await makeKeys()).gatewayPublic;
    const both = JSON.stringify([keys.gatewayPublic, before]);
    expect(readConfig([], { ...env, GATEWAY_PUBLIC_KEY: both })?.gatewayKeys).toHaveLength(2);
  });

  test('read the files of TLS', () => {
    const folder = mkdtempSync(join(tmpdir(), 'relay-'));
    for (const name of ['cert', 'key']) writeFileSync(join(folder, name), name);
    const tls = { RELAY_TLS_CERT: join(folder, 'cert'), RELAY_TLS_KEY: join(folder, 'key') };
    expect(readConfig([], { ...env, ...tls })?.tls).toEqual({
      cert: Buffer.from('cert'),
      key: Buffer.from('key'),
      clientCa: undefined,
    });
  });

  test.each([
    { args: ['--nope'], says: "Unknown option '--nope'; see --help" },
    { args: ['--enrol', 'x'], says: "Unknown option '--enrol'; did you mean --enroll? See --help" },
    { args: ['--port'], says: "Option '--port <value>' argument missing; see --help" },
    { args: ['x'], says: "Unexpected argument 'x'; see --help" },
    { args: ['--port', '70000'], says: 'The port must be a number from 0 to 65535, not 70000' },
    { args: ['--port', 'http'], says: 'The port must be a number from 0 to 65535, not http' },
    { args: ['--gateway', 'gw:1'], says: 'The gateway must be an http or https URL' },
    {
      set: { RELAY_NODE_KEY: '' },
      says: 'RELAY_NODE_KEY is required: a private JWK, EC P-256',
    },
    {
      set: { RELAY_NODE_KEY: '{"kty":"EC"}' },
      says: 'RELAY_NODE_KEY must be a private JWK, EC P-256',
    },
    {
      set: { GATEWAY_PUBLIC_KEY: 'secret' },
      says: 'GATEWAY_PUBLIC_KEY must be a public JWK, Ed25519, or an array of them',
    },
    {
      set: { RELAY_ALLOW: '10.0.0.0/40' },
      says: 'RELAY_ALLOW: 10.0.0.0/40 is no network, host, host:port or *',
    },
    {
      set: { RELAY_TLS_CERT: '/nowhere' },
      says: 'RELAY_TLS_CERT: the file /nowhere cannot be read',
    },
    {
      set: { RELAY_TLS_CERT: import.meta.filename },
      says: 'RELAY_TLS_CERT and RELAY_TLS_KEY are needed together',
    },
  ])('that are wrong are one sentence: $says', ({ args = [], set = {}, says }) => {
    expect(() => readConfig(args, { ...env, ...set })).toThrow(says);
  });
});

describe('the program', () => {
  /** Runs it until it ends, or until the line it is to be stopped at. */
  async function runProgram(args: string[], set: Record<string, string>, stopAt?: string) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], {
      env: { PATH: process.env.PATH, ...set },
    });
    const out = { stdout: '', stderr: '' };
    child.stdout.on('data', (piece) => {
      out.stdout += piece;
      if (stopAt !== undefined && out.stdout.includes(stopAt)) child.kill('SIGTERM');
    });
    child.stderr.on('data', (piece) => {
      out.stderr += piece;
    });
    const { promise, resolve } = Promise.withResolvers<number | null>();
    child.on('close', resolve);
    return { code: await promise, ...out };
  }

  test('prints its help', async () => {
    expect(await runProgram(['--help'], {})).toEqual({ code: 0, stdout: `${HELP}\n`, stderr: '' });
  });

  test('says what is wrong and ends with 1', async () => {
    expect(await runProgram(['--nope'], env)).toEqual({
      code: 1,
      stdout: '',
      stderr: "Unknown option '--nope'; see --help\n",
    });
  });

  test('says as JSON when it is ready, and stops with 0 on SIGTERM', async () => {
    const { code, stdout, stderr } = await runProgram(
      ['--port', '0'],
      { ...env, RELAY_PARTS: '2' },
      'relay ready',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const parts = Array.from({ length: 2 }, () => 'relay part ready');
    const told = lines.map(({ message }) => message);
    expect(told).toEqual([...parts, 'relay ready', 'relay draining', 'relay stopped']);
    expect(lines[2]).toMatchObject({ host: '127.0.0.1', port: expect.any(Number) });
  });

  test('stands requests that come before it is ready, however long its folders take', async () => {
    const temporary = mkdtempSync(join(tmpdir(), 'early-'));
    // What killed processes have left is removed at the start.
    for (let at = 0; at < 500; at += 1) {
      const left = join(temporary, `causeway-sockets-${at}`);
      mkdirSync(left);
      utimesSync(left, 0, 0);
    }
    const port = await freePort('127.0.0.1');
    const asking = setInterval(() => {
      fetch(`http://127.0.0.1:${port}/healthz`).catch(() => {}); // Refused until it listens.
    }, 2);
    const ended = await runProgram(
      ['--port', String(port)],
      { ...env, RELAY_PARTS: '2', TMPDIR: temporary },
      'relay ready',
    ).finally(() => clearInterval(asking));
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
    rmSync(temporary, { recursive: true });
  });
});
