/** What the pages on templates show: the cookbook's ten transformations, and the reference's table of rules. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../proto/json.ts';
import { ROOT } from '../../server/bundle.ts';

/** A transformation with an input and what it makes of that. */
interface Shown {
  readonly title: string;
  readonly definition: JsonObject;
  readonly input: Json;
  readonly output: Json;
  /** An input that it refuses, and `details` of the refusal. */
  readonly refused?: { readonly input: Json; readonly details: Json };
  /** The same in that language. */
  readonly jsonata?: string;
}

/** A row of the table of rules. */
interface Row {
  readonly rules: string;
  readonly input: string;
  readonly output: string;
}

const BLOCK = /^```(\w+)\n([\s\S]*?)\n```$/gm;
const ROW = /^\| `(\[.*\])` \| `(.*)` \| `(.*)` \|$/gm;

const cookbook = await readFile(join(ROOT, 'docs/template-cookbook.md'), 'utf8');
const reference = await readFile(join(ROOT, 'docs/templates.md'), 'utf8');

/** The transformations of the cookbook, in its order. */
export const TRANSFORMATIONS: readonly Shown[] = cookbook.split(/^## /m).slice(1).map(shownIn);

/** The rows of the table of rules. */
export const ROWS: readonly Row[] = [...reference.matchAll(ROW)].map(
  ([, rules = '', input = '', output = '']) => ({ rules, input, output }),
);

/** What the templates of these rows have besides their rules. */
export const BESIDE: JsonObject = objectIn(
  blocksOf(reference.split('In the examples the template also has')[1] ?? '')[0]?.text ?? '',
);

/** What statements often want: a condition by product. */
export const IDIOMS: readonly {
  readonly wanted: string;
  readonly conditions: Readonly<Record<string, string>>;
}[] = idiomsIn(reference.split('| wanted |')[1]?.split('\n\n')[0] ?? '');

function idiomsIn(table: string) {
  const [head = '', , ...rows] = table.split('\n');
  const products = cellsOf(head);
  return rows.map((row) => {
    const [wanted = '', ...cells] = cellsOf(row);
    return {
      wanted,
      conditions: Object.fromEntries(products.map((name, at) => [name, cells[at] ?? ''])),
    };
  });
}

/** Cells of a row; a bar within one is escaped. */
function cellsOf(row: string): string[] {
  const cells = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
  return cells
    .filter((cell) => cell !== '')
    .map((cell) => cell.replaceAll('\\|', '|').replaceAll('`', ''));
}

function shownIn(section: string): Shown {
  const blocks = blocksOf(section);
  const [definition = '', input = '', output = '', ...more] = blocks
    .filter(({ language }) => language === 'json')
    .map(({ text }) => text);
  const [refusedInput, details] = more;
  const jsonata = blocks.find(({ language }) => language === 'jsonata')?.text;
  return {
    title: section.split('\n', 1)[0] ?? '',
    definition: objectIn(definition),
    input: parseJson(input),
    output: parseJson(output),
    ...(refusedInput === undefined || details === undefined
      ? {}
      : { refused: { input: parseJson(refusedInput), details: parseJson(details) } }),
    ...(jsonata === undefined ? {} : { jsonata }),
  };
}

function blocksOf(text: string): { readonly language: string; readonly text: string }[] {
  return [...text.matchAll(BLOCK)].map(([, language = '', inner = '']) => ({
    language,
    text: inner,
  }));
}

function objectIn(text: string): JsonObject {
  const value = parseJson(text);
  if (!isJsonObject(value)) throw new Error(`Not an object: ${text}`);
  return value;
}
