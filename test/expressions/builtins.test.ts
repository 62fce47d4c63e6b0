/** The random programs leave no built-in out. */
import { expect, test } from 'vitest';
import {
  globalNames,
  namespace,
  namespaceNames,
} from '../../worker/language/expressions/builtins/globals.ts';
import { arrayMethods, textMethods } from '../../worker/language/expressions/builtins/methods.ts';
import { numberMethods } from '../../worker/language/expressions/builtins/number.ts';
import { Callable, type Value } from '../../worker/language/expressions/value.ts';
import { foundOfBody, foundOfExpression } from './compare.ts';
import { GRAMMAR } from './grammar.ts';
import { sourcesBy } from './quick.ts';

/** At most; about a third of them are enough. */
const PROGRAMS = 30_000;

/** Built-ins that JavaScript has not, or has otherwise. */
const EXCEPTIONS = [
  'Date.now', // Is when the run began.
  'date', // JavaScript has none.
  'toISO', // JavaScript has none.
  'text.localeCompare', // There it depends on the language of the machine.
];

type Method = (...all: never[]) => Value;
const called = new Set<string>();

/** Notes who is called. The maps are ones that can be written, which others do not have to know. */
function watch(type: string, methods: ReadonlyMap<string, Method>): readonly string[] {
  const writable = methods as Map<string, Method>;
  for (const [name, method] of methods) {
    writable.set(name, (...all) => {
      called.add(`${type}.${name}`);
      return method(...all);
    });
  }
  return [...methods.keys()].map((name) => `${type}.${name}`);
}

/** The same of what a name such as `Math` has. */
function watchMembers(space: string): readonly string[] {
  const writable = namespace(space) as Map<string, Value>;
  const functions = [...writable].filter(([, member]) => member instanceof Callable);
  for (const [name, member] of functions) {
    if (!(member instanceof Callable)) continue;
    const { calledName, takes, invoke } = member;
    const watched = new Callable(calledName, takes, (args, budget) => {
      called.add(`${space}.${name}`);
      return invoke(args, budget);
    });
    writable.set(name, watched);
  }
  return functions.map(([name]) => `${space}.${name}`);
}

test('random programs call every built-in method and function of a namespace', () => {
  const all = [
    ...watch('text', textMethods),
    ...watch('array', arrayMethods),
    ...watch('number', numberMethods),
    ...namespaceNames.flatMap(watchMembers),
  ];
  const isMissing = (name: string) => !called.has(name) && !EXCEPTIONS.includes(name);
  const next = sourcesBy(1);
  for (let count = 0; count < PROGRAMS && all.some(isMissing); count += 1) {
    const { source, isBody } = next();
    if (isBody) foundOfBody(source);
    else foundOfExpression(source);
  }
  expect(all.filter(isMissing)).toEqual([]);
});

test('the grammar names every other built-in', () => {
  const text = JSON.stringify(GRAMMAR);
  const constants = namespaceNames.flatMap((space) =>
    [...(namespace(space) ?? [])].flatMap(([name, member]) =>
      member instanceof Callable ? [] : `${space}.${name}`,
    ),
  );
  const ofPatterns = ['test', 'exec', 'source', 'flags', 'global', 'lastIndex'];
  const all = [...constants, ...globalNames, ...ofPatterns, 'hasOwnProperty'];
  const missing = all.filter(
    (name) => !new RegExp(`\\b${name}\\b`).test(text) && !EXCEPTIONS.includes(name),
  );
  expect(missing).toEqual([]);
});
