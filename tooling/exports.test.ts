/** An export that nothing imports is seen, however others are imported. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportFaults } from './exports.ts';

const FILES: { readonly [file: string]: string } = {
  'proto/shared.ts': [
    'export const one = 1;',
    'export function two() {}',
    'export interface Three {}',
    'export class Four {}',
    'export type Unused = string;',
    'export async function unused() {}',
    '',
  ].join('\n'),
  'proto/whole.ts': 'export const all = 1;\n',
  'proto/loaded.ts': 'export const late = 1;\n',
  'proto/passed-on.ts': "export { two } from './shared.ts';\n",
  'proto/by-script.ts': 'export const used = 1;\n',
  'server/run.mjs': "const { used } = await import('../proto/by-script.ts');\n",
  'worker/index.ts': 'export class Bound {}\n',
  'worker/reader.ts': [
    "import { one as first, type Three } from '../proto/shared.ts';",
    'import {',
    '  Four,',
    "} from '../proto/shared.ts';",
    "import * as whole from '../proto/whole.ts';",
    "const { late } = await import('../proto/loaded.ts');",
    '',
  ].join('\n'),
};

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'causeway-exports-'));
  for (const [file, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  }
});
afterAll(() => rm(root, { recursive: true, force: true }));

test('an export is used where its name, all of its file or the file by itself is imported', async () => {
  expect(await exportFaults(root)).toEqual([
    'exported, and imported by nobody: Unused of proto/shared.ts',
    'exported, and imported by nobody: unused of proto/shared.ts',
  ]);
});
