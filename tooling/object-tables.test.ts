/** How tables of objects are laid out: what is large is read only by who asks for it. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const WORKER = join(import.meta.dirname, '../worker');

/** The tables with bytes that the sources make, by file and name. */
const tables = globSync('**/*.ts', { cwd: WORKER })
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap((file) => {
    const text = readFileSync(join(WORKER, file), 'utf8');
    const made = text.matchAll(
      /CREATE TABLE IF NOT EXISTS (\w+) \(([\s\S]*?)\n? *\)( WITHOUT ROWID)?[;'`]/g,
    );
    return [...made].map(([, name = '', columns = '', ending]) => ({
      table: `${file}: ${name}`,
      columns: columns.replace(/,?\s*PRIMARY KEY \([^)]*\)\s*$/, ''),
      hasRowids: ending === undefined,
    }));
  })
  .filter(({ columns }) => columns.includes(' BLOB'));

test('tables with bytes are found', () => {
  expect(tables.map(({ table }) => table)).toContain('workflows/runs/tables.ts: texts');
});

// Without a rowid SQLite reads each row as a whole that a search compares with.
test.each(tables)('$table has rowids', ({ hasRowids }) => {
  expect(hasRowids).toBe(true);
});

// What follows it is found by reading all of it.
test.each(tables)('in $table bytes are the last column', ({ columns }) => {
  expect(columns.split(',').at(-1)).toContain(' BLOB');
});
