/** The examples of docs/expressions.md come to what they say, and leave no built-in out. */
import { describe, expect, test } from 'vitest';
import page from '../../../docs/expressions.md?raw';
import { global, globalNames, namespace, namespaceNames } from './builtins/globals.ts';
import { arrayMethods, textMethods } from './builtins/methods.ts';
import { numberMethods } from './builtins/number.ts';
import { Budget, compileExpression } from './index.ts';

const NOW = Date.UTC(2024, 4, 17, 9, 30);
const BOUNDS = { fuel: 10_000, depth: 20, outputBytes: 10_000 };
const ROW = /^\| `(.+)` \| `(.+)` \|$/gm;
const examples = [...page.matchAll(ROW)].map(([, source = '', gives = '']) => ({ source, gives }));

/** A value as the page writes it. */
function written(value: unknown): string {
  return typeof value === 'number' || value === undefined ? String(value) : JSON.stringify(value);
}

describe('an example', () => {
  test.each(examples)('$source gives $gives', ({ source, gives }) => {
    expect(written(compileExpression(source).run([], new Budget(BOUNDS, NOW)))).toBe(gives);
  });
});

const sources = examples.map(({ source }) => source).join('\n');

test.each(['text', 'array', 'number'])('every method of a %s has an example', (type) => {
  const methods = { text: textMethods, array: arrayMethods, number: numberMethods }[type];
  const missing = [...(methods?.keys() ?? [])].filter((name) => !sources.includes(`.${name}(`));
  expect(missing).toEqual([]);
});

test('every other built-in has an example', () => {
  const members = namespaceNames.flatMap((space) =>
    [...(namespace(space)?.keys() ?? [])].map((name) => `${space}.${name}`),
  );
  const missing = [...members, ...globalNames].filter((name) => !sources.includes(name));
  expect(missing).toEqual([]);
  expect(global('toString')).toBeUndefined();
});
