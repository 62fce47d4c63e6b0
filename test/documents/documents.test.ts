/**
 * Every `curl` of README.md and docs/ is run, and what the page shows is what it gets. The README
 * comes first; a page of docs/ goes on in its shell, with its variables and what it has made.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../server/bundle.ts';
import { KEY_SETTINGS, LOCAL_SETTINGS, WORKER_SETTINGS } from '../../server/settings.ts';
import { leftOut } from '../../tooling/left-out.ts';
import { type OwnGateway, startGateway } from '../gateway.ts';
import { backendsOf } from './backends.ts';
import { readPage } from './examples.ts';
import { type PageProvider, startProvider, WRITTEN_ISSUER } from './provider.ts';
import { fillIn, runInTurn, type Written } from './shell.ts';
import { comparison } from './shown.ts';

/** What has to be built; its pages are copies and speak of what is not there yet. */
const SPECIFICATION = 'spec/';
/** Pages of kinds that this machine has no server of. */
const absent = new Set(leftOut().pages);
const names = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...(await pagesOf('docs')),
];
const texts = await Promise.all(
  names.map(async (name) => ({ name, text: await readFile(join(ROOT, name), 'utf8') })),
);
const { functions } = readPage(texts[0]?.text ?? '');
const pages = texts.map((page) => ({ ...page, ...readPage(page.text, functions) }));
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
let provider: PageProvider;
let places: Record<string, string>;
const written = new Map<string, Written | undefined>();

beforeAll(async () => {
  provider = await startProvider();
  const { AUTH_EXTERNAL } = provider;
  const [started, backends] = await Promise.all([
    // What stands in for a vendor is on this machine.
    startGateway({
      args: ['--demo'],
      env: { HTTP_ALLOW_PRIVATE: 'true', AUTH_EXTERNAL, CORS_ORIGINS: 'https://app.example.com' },
    }),
    backendsOf(pages.map(({ text }) => text)),
  ]);
  gateway = started;
  places = {
    'http://127.0.0.1:8787': gateway.url,
    '.causeway/': `${gateway.data}/`,
    [WRITTEN_ISSUER]: provider.issuer,
    ...backends,
  };
  const outputs = await runInTurn(examples.map(({ script }) => fillIn(script, places)));
  for (const [index, { at }] of examples.entries()) written.set(at, outputs[index]);
});
afterAll(() => Promise.all([gateway?.stop(), provider?.stop()]));

test('the pages have examples', () => {
  expect(examples.filter(({ at }) => at.startsWith('README.md')).length).toBeGreaterThan(3);
});

test('the README has less than 150 lines', () => {
  const readme = pages.find(({ name }) => name === 'README.md')?.text ?? '';
  const lines = readme.split('\n').length - 1;
  expect(lines).toBeGreaterThan(50);
  expect(lines).toBeLessThan(150);
});

test.each(pages)('$name calls curl only where it is run', ({ strays }) => {
  expect(strays).toEqual([]);
});

test.each(pages)('$name names only files that are there', ({ text }) => {
  const named = [
    ...text.matchAll(
      /`((?:bench|docs|kinds|migrations|node-relay|proto|server|test|tooling|worker)\/[\w./-]*)`/g,
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

test.each(pages)('$name has no command that nothing runs', ({ commands }) => {
  // Those that the tests run by themselves: test/start.test.ts, test/demo.test.ts, and this run.
  const known = /^npm ci (?:--omit=dev )?&& npm (?:start -- --demo|start|test)(?: +#.*)?$/;
  expect(commands.filter((line) => !known.test(line))).toEqual([]);
});

test.each(pages)('$name links to pages and places that are there', ({ name, links }) => {
  const lost = links.filter((link) => {
    const [path = '', place] = link.split('#');
    const target = path === '' ? name : join(dirname(name), path);
    const page = pages.find((each) => each.name === target);
    const isThere = existsSync(join(ROOT, target));
    return !isThere || (place !== undefined && page !== undefined && !page.anchors.includes(place));
  });
  expect(lost).toEqual([]);
});

test.each(pages)('$name names only measurements and proofs that are there', ({ text }) => {
  const named = [...text.matchAll(/npm run (bench|prove) -- ([a-z][\w-]*)/g)];
  const missing = named.filter(([, sort, name]) => {
    const file = sort === 'bench' ? `bench/${name}.ts` : `test/proofs/${name}/proof.ts`;
    return !existsSync(join(ROOT, file));
  });
  expect(missing.map(([whole]) => whole)).toEqual([]);
});

test('the page on operating has every setting', () => {
  const { text = '' } = pages.find(({ name }) => name === 'docs/operate.md') ?? {};
  const all = [...KEY_SETTINGS, ...LOCAL_SETTINGS, ...WORKER_SETTINGS].map(({ name }) => name);
  expect(all.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
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
