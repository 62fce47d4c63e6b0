/**
 * Every `curl` of README.md and docs/ is run, and what the page shows is what it gets. The README
 * comes first; a page of docs/ goes on in its shell, with its variables and what it has made.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../server/bundle.ts';
import { leftOut } from '../../tooling/left-out.ts';
import { type OwnGateway, startGateway } from '../gateway.ts';
import { backendsOf } from './backends.ts';
import { readPage } from './examples.ts';
import { fillIn, runInTurn, type Written } from './shell.ts';
import { comparison } from './shown.ts';

/** What has to be built; its pages are copies and speak of what is not there yet. */
const SPECIFICATION = 'spec/';
/** Pages of kinds that this machine has no server of. */
const absent = new Set(leftOut().pages);
const names = ['README.md', ...(await pagesOf('docs'))];
const pages = await Promise.all(
  names.map(async (name) => {
    const text = await readFile(join(ROOT, name), 'utf8');
    return { name, text, ...readPage(text) };
  }),
);
const examples = pages.flatMap(({ name, examples: own }) =>
  own.map((example) => ({ at: `${name}:${example.line}`, ...example })),
);

async function pagesOf(folder: string): Promise<string[]> {
  const found = await readdir(join(ROOT, folder), { recursive: true });
  return found
    .filter((name) => name.endsWith('.md') && !name.startsWith(SPECIFICATION))
    .filter((name) => !absent.has(basename(name)))
    .map((name) => join(folder, name))
    .toSorted();
}

let gateway: OwnGateway;
let places: Record<string, string>;
const written = new Map<string, Written | undefined>();

beforeAll(async () => {
  const [started, backends] = await Promise.all([
    // What stands in for a vendor is on this machine.
    startGateway({ env: { HTTP_ALLOW_PRIVATE: 'true' } }),
    backendsOf(pages.map(({ text }) => text)),
  ]);
  gateway = started;
  places = { 'http://127.0.0.1:8787': gateway.url, ...backends };
  const outputs = await runInTurn(examples.map(({ script }) => fillIn(script, places)));
  for (const [index, { at }] of examples.entries()) written.set(at, outputs[index]);
});
afterAll(() => gateway?.stop());

test('the pages have examples', () => {
  expect(examples.filter(({ at }) => at.startsWith('README.md')).length).toBeGreaterThan(3);
});

test.each(pages)('$name calls curl only where it is run', ({ strays }) => {
  expect(strays).toEqual([]);
});

test.each(pages)('$name names only files that are there', ({ text }) => {
  const named = [
    ...text.matchAll(
      /`((?:bench|docs|migrations|node-relay|proto|scripts|test|worker)\/[\w./-]*)`/g,
    ),
  ];
  const missing = named
    .map(([, path = '']) => path)
    .filter((path) => !existsSync(join(ROOT, path)));
  expect(missing).toEqual([]);
});

test.each(pages)('$name names only scripts that npm runs', async ({ text }) => {
  const { scripts }: { scripts: object } = JSON.parse(
    await readFile(join(ROOT, 'package.json'), 'utf8'),
  );
  const named = [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
});

describe.each(examples)('the example at $at', ({ at, shown }) => {
  test('runs to its end without a complaint', () => {
    expect(written.get(at)).toMatchObject({ stderr: '' });
  });

  test('has a reply shown, and gets that', () => {
    expect(shown).toBeDefined();
    if (shown === undefined) return;
    const filled = { ...shown, text: fillIn(shown.text, places) };
    const { actual, expected } = comparison(filled, written.get(at)?.stdout ?? '');
    expect(actual).toEqual(expected);
  });
});
