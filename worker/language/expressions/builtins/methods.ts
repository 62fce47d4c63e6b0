/** What can be called on a value, by its type. */
import type { Budget } from '../budget.ts';
import { toName, toText } from '../convert.ts';
import { Pattern } from '../pattern.ts';
import { isExact, isObject, type Method, type Value } from '../value.ts';
import { readingMethods } from './array.ts';
import { changingMethods } from './changing.ts';
import { numberMethods } from './number.ts';
import { execute } from './replace.ts';

export { textMethods } from './text.ts';

/** The methods of arrays. */
export const arrayMethods: ReadonlyMap<
  string,
  (self: Value[], args: Value[], budget: Budget) => Value
> = new Map([...readingMethods, ...changingMethods]);

/** Whether a method of this name changes what it is called on. */
export function isChanging(name: string): boolean {
  return changingMethods.has(name);
}

/** The method of a value that is neither text nor array. */
export function otherMethod(self: Value, name: string): Method | undefined {
  if (typeof self === 'number' || isExact(self)) return numberMethods.get(name);
  if (self instanceof Pattern) return patternMethods.get(name);
  if (isObject(self) && name === 'hasOwnProperty') return hasOwn;
  const isNothing = self === undefined || self === null;
  return name === 'toString' && !isNothing && typeof self !== 'string' ? asText : undefined;
}

const asText: Method = (self, _, budget) => toText(self, budget);

const hasOwn: Method = (self, [name], budget) =>
  isObject(self) && Object.hasOwn(self, toName(name, budget));

const patternMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    'test',
    (self, [text], budget) =>
      self instanceof Pattern && execute(self, toText(text, budget), budget) !== null,
  ],
  [
    'exec',
    (self, [text], budget) =>
      self instanceof Pattern ? execute(self, toText(text, budget), budget) : null,
  ],
  ['toString', asText],
]);

/** Names of the methods of what is neither text nor array. */
export const otherMethodNames: readonly string[] = [
  ...numberMethods.keys(),
  ...patternMethods.keys(),
  'hasOwnProperty',
];
