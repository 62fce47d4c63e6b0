/** The edge's way of running PostgreSQL's parser: by its compiled module, in the edge runtime. */
import { expect, test } from 'vitest';
import { parseText } from '../../../../kinds/postgres/dialect/statement.ts';
import { loadParser } from './parser.ts';

test('is loaded once, with the first statement that is looked at', async () => {
  await loadParser();
  await loadParser();
  expect(parseText("SELECT 'é'; DELETE FROM items -- gone")).toMatchObject({
    statements: [
      { text: "SELECT 'é'", kind: 'SelectStmt', unreadable: undefined },
      { text: 'DELETE FROM items -- gone', kind: 'DeleteStmt', unreadable: 'DELETE' },
    ],
  });
});

test('tells what is wrong and where, and goes on after that', async () => {
  await loadParser();
  expect(parseText('SELEC 1')).toEqual({
    failed: { message: 'syntax error at or near "SELEC"', sqlstate: '42601', position: 1 },
  });
  expect(parseText('SELECT 1 AS again')).toMatchObject({ statements: [{ kind: 'SelectStmt' }] });
});

test('grows for long texts, and outlives what is too deep for it', async () => {
  await loadParser();
  const long = `SELECT '${'x'.repeat(250_000)}'`;
  expect(parseText(long)).toMatchObject({ statements: [{ text: long }] });
  expect(parseText(`SELECT ${'('.repeat(50_000)}1${')'.repeat(50_000)}`)).toHaveProperty('failed');
  const notNots = `SELECT ${'NOT '.repeat(40_000)}true`;
  expect(parseText(notNots)).toHaveProperty('failed');
  expect(parseText('SELECT 2')).toMatchObject({ statements: [{ kind: 'SelectStmt' }] });
});
