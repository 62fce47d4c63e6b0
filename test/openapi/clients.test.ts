/** Clients that public generators make of the description: the programs of docs/clients.md compile and run. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as esbuild from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../server/bundle.ts';
import { sharedGateway } from '../gateway.ts';
import { newOrganization } from '../organization.ts';
import { backend, freshDatabase } from '../servers/backends.ts';
import { downloaded } from '../servers/downloads.ts';
import { checkedFetch } from './checked-fetch.ts';

const run = promisify(execFile);
const NPM = [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  '@hey-api/openapi-ts@0.95.0',
  'typescript@5.9.3',
];
const PYTHON = 'openapi-python-client==0.29.1';
const TABLE = `CREATE TABLE customers AS SELECT * FROM
  (VALUES (7, 'Hana Almeida', 'Lisbon'), (8, 'Igor Novak', 'Prague')) AS v (id, name, city)`;
const PRINTED = '1 [{"name":"Hana Almeida","city":"Lisbon"}]\n';

let programs: readonly string[];
let folder: string;
let packages: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  const page = await readFile(join(ROOT, 'docs/clients.md'), 'utf8');
  programs = [...page.matchAll(/^```(?:ts|python)\n(.*?)^```$/gms)].map(([, text = '']) => text);
  folder = await mkdtemp(join(tmpdir(), 'causeway-clients-'));
  packages = await downloaded('openapi-clients-1', (made) =>
    run('npm', ['install', '--silent', '--no-save', '--prefix', made, ...NPM]).then(() => {}),
  );
  await symlink(join(packages, 'node_modules'), join(folder, 'node_modules'));
  const [gateway, server] = await Promise.all([sharedGateway(), backend('postgres')]);
  const { url } = await freshDatabase(server);
  const organization = await newOrganization(gateway);
  const config = { write_conn: { url } };
  const made = { endpoint: 'shop', kind: 'postgres', config };
  expect(await organization.call('POST', '/endpoints', made)).toMatchObject({ status: 200 });
  const filled = await organization.call('POST', '/endpoints/shop/write', { query: TABLE });
  expect(filled).toMatchObject({ status: 200 });
  const key = { name: 'program', endpoints: { shop: 'Read' } };
  const { body } = await organization.call('POST', '/iam/keys', key);
  const { key: CAUSEWAY_KEY } = body as { key: string }; // As POST /iam/keys answers.
  env = { ...process.env, CAUSEWAY_URL: gateway.url, CAUSEWAY_KEY };
  const document = await (await checkedFetch(`${gateway.url}/openapi.json`)).text();
  await writeFile(join(folder, 'openapi.json'), document);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a generator of npm in a folder of its own, and answers that. */
async function generatedBy(program: string, ...args: string[]): Promise<string> {
  const cwd = await mkdtemp(join(folder, `${program}-`));
  await run(process.execPath, [join(packages, 'node_modules/.bin', program), ...args], { cwd });
  return cwd;
}

/** What a program next to its client prints, once the compiler finds no fault in it. */
async function printedBy(cwd: string, program: string): Promise<string> {
  const source = join(cwd, 'program.ts');
  await writeFile(source, program);
  const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];
  const how = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022'];
  const strict = ['--strict', '--noEmit', '--skipLibCheck', '--ignoreConfig'];
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const { stdout: faults } = await run(tsc, [...strict, ...how, ...types, source]).catch(
    ({ stdout }: { stdout: string }) => ({ stdout }),
  );
  expect(faults).toBe('');
  const outfile = join(cwd, 'program.mjs');
  const options = { bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' } as const;
  await esbuild.build({ ...options, entryPoints: [source], outfile });
  return (await run(process.execPath, [outfile], { env })).stdout;
}

test('openapi-typescript with openapi-fetch', async () => {
  const made = ['../openapi.json', '--output', 'causeway.ts'];
  const cwd = await generatedBy('openapi-typescript', ...made);
  expect(await printedBy(cwd, programs[0] ?? '')).toBe(PRINTED);
});

test('Hey API', async () => {
  const made = ['--input', '../openapi.json', '--output', 'causeway'];
  const cwd = await generatedBy('openapi-ts', ...made);
  expect(await printedBy(cwd, programs[1] ?? '')).toBe(PRINTED);
});

test('openapi-python-client', async () => {
  const environment = await downloaded(PYTHON, async (made) => {
    await run('python3', ['-m', 'venv', made]);
    const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', PYTHON];
    await run(join(made, 'bin/python'), args);
  });
  const python = join(environment, 'bin/python');
  const cwd = await mkdtemp(join(folder, 'python-'));
  await writeFile(join(cwd, 'settings.yaml'), 'literal_enums: true');
  await writeFile(join(cwd, 'program.py'), programs[2] ?? '');
  const of = ['--path', '../openapi.json', '--meta', 'none', '--output-path', 'causeway'];
  const generate = ['-m', 'openapi_python_client', 'generate', ...of, '--config', 'settings.yaml'];
  await run(python, generate, { cwd, maxBuffer: 2 ** 26 });
  expect((await run(python, ['program.py'], { cwd, env })).stdout).toBe(PRINTED);
});
