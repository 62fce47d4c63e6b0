/** CSV of rows: what a reader of RFC 4180 gets is what the lines said. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvOf } from './csv.ts';

/** Of a call that does not end. */
const CALL = { signal: new AbortController().signal };

async function written(lines: readonly string[], cuts: readonly number[] = []): Promise<string> {
  async function* pieces() {
    let begun = 0;
    yield new Uint8Array();
    for (const cut of [...cuts, lines.length]) {
      const some = lines.slice(begun, cut).map((line) => `${line}\n`);
      begun = Math.max(begun, cut);
      yield Buffer.from(some.join(''));
    }
  }
  let text = '';
  for await (const piece of csvOf(pieces(), CALL)) text += Buffer.from(piece).toString();
  return text;
}

const columns = (...names: string[]) =>
  JSON.stringify({ columns: names.map((name) => ({ name, type: 'text' })) });

test.each([
  [
    'numbers as they are written',
    '[1,-2.50,1e400,"9007199254740993"]',
    '1,-2.50,1e400,9007199254740993',
  ],
  ['NULL as nothing, the empty text as ""', '[null,"",true,false]', ',"",true,false'],
  [
    'a comma, a quote, line breaks in quotes',
    String.raw`["a,b","say \"x\"","l\r\nm","\u00e9"]`,
    '"a,b","say ""x""","l\r\nm",é',
  ],
  [
    'lists and objects as their JSON',
    '[[1,"]"],{"a":"}"},{},[]]',
    '"[1,""]""]","{""a"":""}""}",{},[]',
  ],
  ['what spreadsheets take for formulas as it is', '["=1+1","@x","+2","-3"]', '=1+1,@x,+2,-3'],
])('writes %s', async (_what, row, expected) => {
  expect(await written([columns('a', 'b', 'c', 'd'), row])).toBe(`a,b,c,d\r\n${expected}\r\n`);
});

test('names columns once, also where there is no row', async () => {
  expect(await written([columns('id', 'a,b', '')])).toBe('id,"a,b",""\r\n');
});

test('holds the names back until there is a row, or an end without one', async () => {
  const failure = new Error('The server has ended the statement');
  async function* failing(...lines: readonly string[]) {
    for (const line of lines) yield Buffer.from(`${line}\n`);
    throw failure;
  }
  let text = '';
  const read = async (lines: readonly string[]) => {
    for await (const piece of csvOf(failing(...lines), CALL)) text += Buffer.from(piece).toString();
  };
  await expect(read([columns('a')])).rejects.toBe(failure);
  expect(text).toBe('');
  await expect(read([columns('a'), '[1]'])).rejects.toBe(failure);
  expect(text).toBe('a\r\n1\r\n');
});

test('is empty where a statement answers no rows', async () => {
  expect(await written([])).toBe('');
});

/** A reader by the grammar of RFC 4180; an unquoted empty field is null. */
function read(csv: string): (string | null)[][] {
  const records: (string | null)[][] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  let record: (string | null)[] = [];
  for (let found = field.exec(csv); found; found = field.exec(csv)) {
    const [, quoted, plain = '', end] = found;
    record.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  return records;
}

test('a reader of CSV gets every value back, however the lines are cut', async () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(null, '', '"', ',', '\r\n', '\\', '\\"', '[', ']}'),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const table = fc
    .integer({ min: 1, max: 5 })
    .chain((width) => fc.array(fc.array(value, { minLength: width, maxLength: width })));
  await fc.assert(
    fc.asyncProperty(table, fc.array(fc.nat(20)), async (rows, cuts) => {
      const names = rows[0]?.map((_, at) => `c${at}`) ?? ['c0'];
      const lines = [columns(...names), ...rows.map((row) => JSON.stringify(row))];
      const csv = await written(
        lines,
        cuts.toSorted((one, other) => one - other),
      );
      const expected = rows.map((row) =>
        row.map((each) => {
          if (each === null || typeof each === 'string') return each;
          return JSON.stringify(each);
        }),
      );
      expect(read(csv)).toEqual([names, ...expected]);
    }),
  );
});

/** The cell of a value's JSON, made of all of it. */
function simpleCell(json: string): string {
  if (json === 'null') return '';
  const text = json.startsWith('"') ? String(JSON.parse(json)) : json;
  if (text !== '' && !/[",\r\n]/.test(text)) return text;
  return `"${text.replaceAll('"', '""')}"`;
}

/** Cuts bytes anywhere, also within a character. */
async function* cutAt(bytes: Buffer, places: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  const inOrder = places.map((each) => each % bytes.length).toSorted((one, other) => one - other);
  for (const place of [...inOrder, bytes.length]) {
    yield bytes.subarray(from, place);
    from = Math.max(from, place);
  }
}

test('bytes are those of the simple way, wherever lines are cut and however texts are escaped', async () => {
  const marks = fc.constantFrom(
    '"',
    ',',
    '\n',
    '\r',
    '\\',
    '\u0001',
    'é',
    '€',
    '😀',
    '\ud83d',
    '\ude00',
    ' ',
  );
  const text = fc.oneof(
    fc.string({ unit: fc.oneof(marks, fc.constantFrom('a', 'nu', '[', '}')), maxLength: 12 }),
    fc.string({ unit: 'binary' }),
  );
  const value = fc.oneof(
    text,
    fc.constant(null),
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.jsonValue({ maxDepth: 2 }),
    fc.array(text, { maxLength: 3 }),
  );
  const isEscaped = fc.boolean();
  const rows = fc.array(fc.array(value, { maxLength: 4 }), { maxLength: 4 });
  const cuts = fc.array(fc.nat(), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(rows, cuts, isEscaped, async (values, places, escaped) => {
      const cells = values.map((row) =>
        row.map((each) => {
          const json = JSON.stringify(each);
          if (!escaped) return json;
          return json.replace(
            /[^\0-\x7f]/g,
            (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
          );
        }),
      );
      const lines = [columns('a', 'b,'), ...cells.map((row) => `[${row.join(',')}]`)];
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const pieces: Uint8Array[] = [];
      for await (const piece of csvOf(cutAt(bytes, places), CALL)) pieces.push(piece);
      const records = cells.map((row) => `${row.map(simpleCell).join(',')}\r\n`);
      expect(Buffer.concat(pieces)).toEqual(Buffer.from(`a,"b,"\r\n${records.join('')}`));
    }),
    { numRuns: 500 },
  );
});
