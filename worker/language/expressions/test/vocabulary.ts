/** All names of the language, for tests and for tables of documents. */

import { changingMethods } from '../builtins/changing.ts';
import { global, globalNames, namespace, namespaceNames } from '../builtins/globals.ts';
import { arrayMethods, otherMethodNames, textMethods } from '../builtins/methods.ts';
import { binaryOperators, unaryOperators } from '../compile/operator.ts';
import { Callable } from '../value.ts';

function callablesOf(name: string): string[] {
  return [...(namespace(name) ?? [])].flatMap(([member, value]) =>
    value instanceof Callable ? [`${name}.${member}`] : [],
  );
}

/** Names of functions, of methods of any type, of those that change an array, and operators. */
export const vocabulary = {
  globals: [
    ...globalNames.filter((name) => global(name) instanceof Callable),
    ...namespaceNames.flatMap(callablesOf),
  ],
  methods: [...new Set([...textMethods.keys(), ...arrayMethods.keys(), ...otherMethodNames])],
  changing: [...changingMethods.keys()],
  binary: binaryOperators,
  unary: unaryOperators,
} as const;
