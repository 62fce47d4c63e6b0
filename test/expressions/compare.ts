/** One program by the language and by the JavaScript engine: what each makes of it, as text. */
import {
  Budget,
  BudgetFault,
  compileExpression,
  compileFunctions,
  Fault,
} from '../../worker/language/expressions/index.ts';
import { INPUT } from './program.ts';

const NAMES = Object.keys(INPUT);
const HEAD = 'let v0 = 0, v1 = "", v2 = [1], v3 = {a: 1, b: 2}, i = 0, e = 1;';
/** JavaScript throws where the language reads undefined: docs/expressions.md, "Differences". */
const READS_OF_NOTHING = /Cannot read properties of (?:undefined|null)/;

/** What both came to; undefined where it cannot be compared. */
export interface Results {
  readonly expected: string | undefined;
  readonly found: string | undefined;
}

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

/** What the language makes of an expression. @throws what none may end in */
export function foundOfExpression(source: string): string | undefined {
  const compiled = compileExpression(wholeOf(source), { names: NAMES });
  return guarded(() => compiled.run(values, budget()));
}

/** What the language makes of the body of a function. @throws what none may end in */
export function foundOfBody(source: string): string | undefined {
  const compiled = compileFunctions({ f: functionOf(source) });
  return guarded(() => compiled.call('f', values, budget()));
}

/** Of an expression. @throws what neither may end in */
export function resultsOfExpression(source: string): Results {
  return {
    expected: byJavaScript(`return ${wholeOf(source)}`),
    found: foundOfExpression(source),
  };
}

/** Of the body of a function. @throws what neither may end in */
export function resultsOfBody(source: string): Results {
  return {
    expected: byJavaScript(`${functionOf(source)} return f(${NAMES});`),
    found: foundOfBody(source),
  };
}

const wholeOf = (source: string): string => `(() => { ${HEAD} return ${source}; })()`;

const functionOf = (source: string): string => `function f(${NAMES}) { ${source} }`;
