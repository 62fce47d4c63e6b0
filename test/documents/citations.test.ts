/** Every citation of the specification in the code leads to a place in docs/spec/. */
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../server/bundle.ts';

const SPEC = 'docs/spec';
const FOLDERS =
  '{bench,dialects,kinds,node-relay,password-hasher,proto,scripts,server,test,tooling,worker}';
/** The page itself has examples of citations, and so has this file. */
const PAGE =
  /\b(contract|workflows|transactions|nodes|keys-and-doors|backends)(?:\.md)?`? §(\d+)/gi;
const MORE = /^(?:, §(\d+))+/;
const QUOTED = /\bSpec: ("[^"\n]+"(?:(?:, and|, | and )"[^"\n]+")*)/g;

/** A citation: the page of docs/spec/ without `.md`, and what it names there. */
interface Citation {
  readonly page: string;
  readonly section: string;
}

function citationsIn(text: string): Citation[] {
  const numbered = [...text.matchAll(PAGE)].flatMap(
    ({ 0: whole, 1: page = '', 2: first = '', index }) => {
      const rest = MORE.exec(text.slice(index + whole.length))?.[0] ?? '';
      const further = [...rest.matchAll(/\d+/g)].map(([number]) => number);
      return [first, ...further].map((section) => ({ page: page.toLowerCase(), section }));
    },
  );
  const quoted = [...text.matchAll(QUOTED)].flatMap(([, list = '']) =>
    [...list.matchAll(/"([^"]+)"/g)].map(([, section = '']) => ({
      page: 'specification',
      section,
    })),
  );
  return [...numbered, ...quoted];
}

/** Whether the page has a section of that number, or a heading or paragraph that begins with those words. */
function leadsSomewhere(page: string, section: string): boolean {
  const escaped = section.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const place = /^\d+$/.test(section)
    ? new RegExp(`^## ${escaped}\\. `, 'm')
    : new RegExp(`^(?:#+ |\\| |[-*] |\\d+\\. |\\*\\*)*${escaped}`, 'm');
  return place.test(page);
}

test('finds citations as the code writes them', () => {
  expect(
    citationsIn('Contract §5, §6; keys-and-doors.md §5. Spec: "RBAC", "Limits". Contract §13, "x"'),
  ).toEqual([
    { page: 'contract', section: '5' },
    { page: 'contract', section: '6' },
    { page: 'keys-and-doors', section: '5' },
    { page: 'contract', section: '13' },
    { page: 'specification', section: 'RBAC' },
    { page: 'specification', section: 'Limits' },
  ]);
});

test('every citation leads to a place in docs/spec/', async () => {
  const names = ['contract', 'workflows', 'transactions', 'nodes', 'keys-and-doors', 'backends'];
  const pages = new Map(
    await Promise.all(
      ['specification', ...names].map(
        async (name) => [name, await readFile(join(ROOT, SPEC, `${name}.md`), 'utf8')] as const,
      ),
    ),
  );
  let count = 0;
  const lost: string[] = [];
  for await (const file of glob(`${FOLDERS}/**/*.{ts,proto}`, { cwd: ROOT })) {
    if (file === 'test/documents/citations.test.ts') continue;
    const found = citationsIn(await readFile(join(ROOT, file), 'utf8'));
    count += found.length;
    for (const { page, section } of found) {
      if (!leadsSomewhere(pages.get(page) ?? '', section)) lost.push(`${file}: ${page} ${section}`);
    }
  }
  expect(count).toBeGreaterThan(300);
  expect(lost).toEqual([]);
});
