/** Keys that change while calls run: none of the calls fails. Contract §3, §5; nodes.md §1. */

import { cp, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataFolder, type OwnGateway, runScript, startGateway } from './gateway.ts';
import { startKeyTraffic } from './key-traffic.ts';
import { ask, newOrganization, type Organization } from './organization.ts';
import { backend } from './servers/backends.ts';

let gateway: OwnGateway;
let organization: Organization;
beforeAll(async () => {
  gateway = await startGateway({ env: { JWT_LIFETIME_S: '300' } });
  organization = await newOrganization(gateway);
  const { url } = await backend('postgres');
  await organization.call('POST', '/endpoints', {
    endpoint: 'pg',
    kind: 'postgres',
    config: { write_conn: { url } },
  });
});
afterAll(() => gateway.stop());

async function rotate(...args: string[]) {
  const { ended, output } = runScript('server/rotate.ts', [...args, '--data', gateway.data]);
  const { code } = await ended;
  return { code, stdout: output.stdout(), stderr: output.stderr() };
}

test.each([
  ['JWT_SECRET', 'jwt-secret', 'jwt-secret-previous'],
  ['GATEWAY_KEY', 'gateway-key.jwk', 'gateway-key-previous.jwk'],
  ['RELAY_NODE_KEY', 'relay-node-key.jwk', 'relay-node-key-previous.jwk'],
  ['INSTALLATION_KEY', 'installation-key', 'installation-key-previous'],
])('%s changes under load without a failed call', async (name, file, previous) => {
  const keys = join(gateway.data, 'keys');
  const old = await readFile(join(keys, file), 'utf8');
  const running = await startKeyTraffic(organization);
  await sleep(500);
  const begun = await rotate(name);
  expect(begun).toMatchObject({ code: 0, stderr: '' });
  expect(begun.stdout).toContain(`A new ${name} is made in ${keys}.\n`);
  expect(begun.stdout).toContain(`rotate --silent -- ${name} --finish --data ${gateway.data}`);
  expect(await readFile(join(keys, previous), 'utf8')).toBe(old);
  expect(await readFile(join(keys, file), 'utf8')).not.toBe(old);
  // Clients renew their tokens while both keys are in use.
  await running.logIn();
  await sleep(500);
  const early = await rotate(name, '--finish');
  if (name !== 'INSTALLATION_KEY') {
    expect(early).toMatchObject({ code: 1, stdout: '' });
    expect(early.stderr).toContain(`The old ${name} has to stay until `);
    expect(await rotate(name, '--finish', '--force')).toEqual({
      code: 0,
      stdout: `The old ${name} is removed from ${keys}.\n`,
      stderr: '',
    });
  } else {
    expect(early.stdout).toMatch(/(\d+) of \1 data keys are sealed with the new key\.\n/);
    expect(early.code).toBe(0);
  }
  await expect(stat(join(keys, previous))).rejects.toThrow('ENOENT');
  await sleep(500);
  const { failed, calls } = await running.stop();
  expect(failed).toEqual([]);
  expect(calls).toBeGreaterThan(50);
});

test('a change of INSTALLATION_KEY that was interrupted goes on, and what was sealed opens after it', async () => {
  const data = await dataFolder();
  const change = async (...args: string[]) => {
    const { ended, output } = runScript('server/rotate.ts', [...args, '--data', data]);
    return { code: await ended.then(({ code }) => code), said: output.stdout() + output.stderr() };
  };
  const { url } = await backend('postgres');
  const first = await startGateway({ data });
  const own = await newOrganization(first);
  const endpoint = await own.addPostgres(url);
  await first.stop();
  expect(await change('INSTALLATION_KEY')).toMatchObject({
    code: 0,
    said: expect.stringContaining('The gateway does not run: it uses the keys when it starts.\n'),
  });
  expect(await change('INSTALLATION_KEY', '--finish')).toEqual({
    code: 1,
    said: 'Start the gateway first: it says whether all data keys are sealed again.\n',
  });
  const second = await startGateway({ data });
  const again = await change('INSTALLATION_KEY');
  expect(again.said).toContain(
    `A change of INSTALLATION_KEY in ${join(data, 'keys')} has begun already; going on with it.\n`,
  );
  expect(again.said).toContain('1 of 1 data keys are sealed with the new key.\n');
  expect(await change('INSTALLATION_KEY', '--finish')).toMatchObject({ code: 0 });
  await second.stop();
  const third = await startGateway({ data });
  const reply = await ask(
    third,
    'POST',
    `/endpoints/${endpoint}/read`,
    { query: 'SELECT 1 AS one' },
    { Authorization: `Bearer ${own.token}` },
  );
  await third.stop();
  expect(reply).toMatchObject({ status: 200, body: { data: { rows: [{ one: 1 }] } } });
  await rm(data, { recursive: true });
});

test('without --data the folder is told, and the next command has no --data', async () => {
  const data = await dataFolder();
  const run = async (args: string[], env: Record<string, string> = {}) => {
    const { ended, output } = runScript('server/rotate.ts', args, env);
    expect(await ended).toMatchObject({ code: 0 });
    return output.stdout();
  };
  const first = await startGateway({ data });
  await first.stop();
  const said = await run(['JWT_SECRET'], { DATA: data });
  expect(said).toContain(`A new JWT_SECRET is made in ${join(data, 'keys')}.\n`);
  expect(said).toMatch(/: npm run rotate --silent -- JWT_SECRET --finish \(from \S+ on\)\n$/);
  // As a shell reads it.
  const odd = join(data, "it's a folder");
  await mkdir(odd);
  await cp(join(data, 'keys'), join(odd, 'keys'), { recursive: true });
  await rm(join(odd, 'keys', 'jwt-secret-previous'));
  expect(await run(['JWT_SECRET', '--data', odd])).toContain(
    ` --finish --data '${odd.replace("'", "'\\''")}' (from `,
  );
  await rm(data, { recursive: true });
});

test.each([
  [
    [],
    'One of JWT_SECRET, INSTALLATION_KEY, GATEWAY_KEY, RELAY_NODE_KEY is to be named; see --help.\n',
  ],
  [
    ['MAIL_TOKEN'],
    'One of JWT_SECRET, INSTALLATION_KEY, GATEWAY_KEY, RELAY_NODE_KEY is to be named; see --help.\n',
  ],
  [['JWT_SECRET', '--now'], "Unknown option '--now'; see --help.\n"],
])('%j is refused in one sentence', async (args, stderr) => {
  expect(await rotate(...args)).toEqual({ code: 1, stdout: '', stderr });
});
