/** The language beside the JavaScript engine: the same programs, the same results. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  Budget,
  BudgetFault,
  compileExpression,
  compileFunctions,
  Fault,
} from '../../worker/expressions/index.ts';
import { any, body, INPUT } from './program.ts';

const NAMES = Object.keys(INPUT);
const HEAD = 'let v0 = 0, v1 = "", v2 = [1], v3 = {a: 1, b: 2}, i = 0, e = 1;';
/** JavaScript throws where the language reads undefined: docs/expressions.md, "Differences". */
const READS_OF_NOTHING = /Cannot read properties of (?:undefined|null) \(reading/;

/** A result as text in which everything that can differ differs. */
function shown(value: unknown, around: readonly unknown[] = []): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (around.includes(value)) return 'circle';
  const inside = [...around, value];
  if (Array.isArray(value)) return `[${Array.from(value, (each) => shown(each, inside)).join()}]`;
  const members = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}:${shown(each, inside)}`,
  );
  return `{${members.join()}}`;
}

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null)
    Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

const values = frozen(Object.values(structuredClone(INPUT)));

function byJavaScript(source: string): string | undefined {
  try {
    return shown(new Function(...NAMES, `"use strict"; ${source}`)(...values));
  } catch (error) {
    if (!(error instanceof Error)) return 'throws';
    if (error instanceof SyntaxError && !error.message.includes('JSON')) throw error;
    return READS_OF_NOTHING.test(error.message) ? undefined : 'throws';
  }
}

function budget(): Budget {
  return new Budget({ fuel: 20_000_000, depth: 500, outputBytes: 64 * 2 ** 20 });
}

function guarded(run: () => unknown): string | undefined {
  try {
    return shown(run());
  } catch (error) {
    if (error instanceof BudgetFault) return undefined;
    if (error instanceof Fault && error.name !== 'SyntaxFault') return 'throws';
    throw error;
  }
}

function compare(source: string, run: () => unknown): void {
  const expected = byJavaScript(source);
  const found = guarded(run);
  if (expected !== undefined && found !== undefined) expect(found, source).toBe(expected);
}

test('10,000 random expressions come to what JavaScript makes of them', () => {
  fc.assert(
    fc.property(any, (source) => {
      const whole = `(() => { ${HEAD} return ${source}; })()`;
      compare(`return ${whole}`, () =>
        compileExpression(whole, { names: NAMES }).run(values, budget()),
      );
    }),
    { numRuns: 10_000 },
  );
});

test('10,000 random functions return what JavaScript returns', () => {
  fc.assert(
    fc.property(body, (source) => {
      const whole = `function f(${NAMES}) { ${source} }`;
      compare(`${whole} return f(${NAMES});`, () =>
        compileFunctions({ f: whole }).call('f', values, budget()),
      );
    }),
    { numRuns: 10_000 },
  );
});
