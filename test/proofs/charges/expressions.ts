/** Whether each built-in, operator and form of the language costs what its fuel says. */
import type { Json } from '../../../proto/json.ts';
import { Fault } from '../../../worker/language/expressions/fault.ts';
import {
  Budget,
  compileExpression,
  type Value,
} from '../../../worker/language/expressions/index.ts';
import { vocabulary } from '../../../worker/language/expressions/test/vocabulary.ts';
import { cpuMs } from '../processor-time.ts';
import type { Choices } from '../random.ts';
import { argumentBy, valueBy } from './arguments.ts';
import type { Case } from './proof.ts';

/** What a step of fuel stands for: twelve million of them, which a run has, are a quarter of a second. */
export const STEP_NS = 21;
/** Fuel of one case: a little first, so that one that pays too little ends. */
const FUEL = [1_000, 30_000, 600_000] as const;
/** Less than the first is too little to be measured; with less than the second it is tried with more fuel. */
const [LEAST_MS, ENOUGH_MS] = [1, 12];
const LIMITS = { depth: 200, outputBytes: 1e13 };

/** Forms of the syntax that no table lists. */
const FORMS = [
  '[...a]',
  '({...a})',
  ['`$', '{a}$', '{b}`'].join(''),
  '({[a]: b})',
  'a[b]',
  'a?.[b]?.[c]',
  '[a, b, c]',
  '({a, b, c})',
  '(([x, ...rest]) => rest)(a)',
  '(({x, ...rest}) => rest)(a)',
  '((...all) => all)(...a)',
  'Math.max(...a)',
  '(() => { for (const x of a) b; })()',
  '(() => { for (const x in a) b; })()',
  '(() => { let s = ""; s += a; s += b; return s.length })()',
  '(() => { let s = a + b; return s[1] })()',
  '(() => { let s = a + b; return s === c })()',
  '(() => { const o = {}; o[a] = b; return o })()',
  '(() => { const o = {...a}; delete o[b]; return o })()',
  '(() => { const o = [...a]; o[o.length] = b; o.length = 1; return o })()',
  '(() => { try { throw a } catch (e) { return e } })()',
  '(() => { try { a.b.c() } catch (e) { return e } })()',
  '(() => { switch (a) { case b: return 1; case c: return 2; default: return 3 } })()',
  'a ? b : c',
  'a ?? b',
  '/a(b|c)+d/gi.test(a)',
  'a && b || c',
  '(function f(n) { return n > 0 ? f(n - 1) : a })(20)',
] as const;

/** What is done again and again, and with what. */
interface Work {
  readonly source: string;
  readonly values: readonly { readonly name: string; readonly value: Json }[];
}

/** A case by chance. */
export function caseBy(choices: Choices): Case {
  const source = sourceBy(choices);
  const values = [valueBy(choices, 1e6), valueBy(choices, 1e5), valueBy(choices, 1e3)];
  return {
    name: `${source} with ${values.map(({ name }) => name).join(', ')}`,
    nsPerStep: () => nsPerStep({ source, values }),
  };
}

function sourceBy(choices: Choices): string {
  const { globals, methods, changing, binary, unary } = vocabulary;
  const operand = () => argumentBy(choices);
  const args = Array.from({ length: Math.floor(choices.next() * 4) }, operand);
  const pick = (all: readonly string[]) => choices.pickAny(all) ?? '';
  const sources = [
    () => `a.${pick(methods)}(${args.join(', ')})`,
    () => `[...a].${pick(changing)}(${args.join(', ')})`,
    () => `${pick(globals)}(${[operand(), ...args].join(', ')})`,
    () => `(${operand()} ${pick(binary)} ${operand()})`,
    () => `(${pick(unary)} ${operand()})`,
    () => pick(FORMS),
  ] as const;
  const [method, change, call, two, one, form] = sources;
  return choices.pick([method, method, method, change, call, call, call, two, one, form])();
}

/** Nanoseconds that a step of its fuel took; undefined of what is no source, or ends too soon to be measured. */
function nsPerStep({ source, values }: Work): number | undefined {
  const expression = compiledOf(source);
  if (expression === undefined) return undefined;
  const given = values.map(({ value }) => value as Value); // JSON is of the language.
  let found: number | undefined;
  for (const fuel of FUEL) {
    const budget = new Budget({ ...LIMITS, fuel }, 0);
    const ms = cpuMs(() => ended(() => expression.run(given, budget)));
    const steps = Math.max(1, fuel - Math.max(0, budget.fuel));
    found = ms < LEAST_MS ? undefined : (ms * 1e6) / steps;
    if (ms >= ENOUGH_MS) break;
  }
  return found;
}

function compiledOf(source: string) {
  try {
    const text = `(() => { for (;;) { try { ${source} } catch {} } })()`;
    return compileExpression(text, { names: ['a', 'b', 'c'], members: 'a' });
  } catch (fault) {
    if (fault instanceof Fault) return undefined;
    throw fault;
  }
}

function ended(run: () => unknown): void {
  try {
    run();
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
  }
}
