/** From one type of value to another, as JavaScript does it, but never by a function of the value. */
import type { Budget } from './budget.ts';
import { plainValue } from './exact.ts';
import { Pattern } from './pattern.ts';
import { Callable, type ExactNumber, isExact, type ObjectValue, type Value } from './value.ts';

/** What the text of a double that is no integer takes. */
const FRACTION_STEPS = 6;

/** As text. @throws BudgetFault */
export function toText(value: Value, budget: Budget): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && !Number.isInteger(value)) budget.spend(FRACTION_STEPS);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return joined(value, ',', budget);
  if (value instanceof Callable) return `[function ${value.calledName}]`;
  if (value instanceof Pattern) return `/${value.source}/${value.flags}`;
  return isExact(value) ? exactText(value, budget) : objectText(value);
}

/** Its digits, or where a double holds them, those of the double. */
function exactText(value: ExactNumber, budget: Budget): string {
  const double = plainValue(value);
  return typeof double === 'number' ? toText(double, budget) : value.rawJSON;
}

/** Errors are told by their message; other objects by what they are. */
function objectText(value: ObjectValue): string {
  if (!ERRORS.has(value)) return '[object Object]';
  const { name = 'Error', message = '' } = value;
  return [String(name), String(message)].filter((each) => each !== '').join(': ');
}

const ERRORS = new WeakSet<object>();

/** What `new Error(…)` makes: an object of a name and a message, whose text gives both. */
export function errorValue(name: string, message: string): ObjectValue {
  const value = { name, message };
  ERRORS.add(value);
  return value;
}

/** Elements as one text. @throws BudgetFault */
export function joined(array: readonly Value[], separator: string, budget: Budget): string {
  const { length } = array;
  budget.spend(length);
  nest(budget);
  budget.text(Math.max(0, length - 1) * separator.length);
  let joint = '';
  for (let at = 0; at < length; at += 1) {
    const element = array[at];
    if (at > 0) joint += separator;
    if (element === undefined || element === null) continue;
    const text = typeof element === 'string' ? element : toText(element, budget);
    budget.text(text.length);
    joint += text;
  }
  unnest(budget);
  return joint;
}

/** Levels of the stack that one level of data takes. */
const NEST_LEVELS = 2;

/** One array or object further within. @throws BudgetFault */
export function nest(budget: Budget): void {
  budget.depth -= 1;
  budget.stack -= NEST_LEVELS;
  if (budget.depth < 0 || budget.stack < 0) budget.exhausted('depth');
}

/** Back from an array or object within. */
export function unnest(budget: Budget): void {
  budget.depth += 1;
  budget.stack += NEST_LEVELS;
}

/** The double nearest to many digits. @throws BudgetFault */
function exactNumber(digits: string, budget: Budget): number {
  budget.spend(digits.length >> 2);
  return Number(digits);
}

/** Charges reading a number: of every digit, and the host may read some twice. @throws BudgetFault */
export function payDigits(text: string, budget: Budget): void {
  budget.touch(text);
  budget.spend(text.length >> 3);
}

/** As a number, by the rules of `Number`. @throws BudgetFault */
export function toNumber(value: Value, budget: Budget): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') {
    payDigits(value, budget);
    return Number(value);
  }
  if (typeof value !== 'object' || value === null) return Number(value);
  if (isExact(value)) return exactNumber(value.rawJSON, budget);
  return Array.isArray(value) ? toNumber(toText(value, budget), budget) : Number.NaN;
}

/** As an integer between two others, from a default when there is none. */
export function toInteger(value: Value, otherwise: number, budget: Budget): number {
  if (value === undefined) return otherwise;
  const number = Math.trunc(toNumber(value, budget));
  return Number.isNaN(number) ? 0 : number;
}

/** An index as `slice` and its like take it: negative from the end, within the length. */
export function toIndex(value: Value, otherwise: number, length: number, budget: Budget): number {
  const index = toInteger(value, otherwise, budget);
  return index < 0 ? Math.max(0, length + index) : Math.min(index, length);
}

/** As what operators work on: objects become text, numbers kept as text become doubles. */
export function toPrimitive(
  value: Value,
  budget: Budget,
): undefined | null | boolean | number | string {
  if (typeof value !== 'object' || value === null) return value;
  return isExact(value) ? exactNumber(value.rawJSON, budget) : toText(value, budget);
}

/** As the name of a member. @throws BudgetFault */
export function toName(value: Value, budget: Budget): string {
  const name = typeof value === 'string' ? value : toText(value, budget);
  budget.touch(name);
  return name;
}

/** `===`: numbers of more digits than a double holds are equal when their texts are. @throws BudgetFault */
export function isSame(one: Value, other: Value, budget: Budget): boolean {
  if (typeof one === 'string' && typeof other === 'string') {
    if (one.length !== other.length) return false;
    budget.touch(one);
    budget.touch(other);
    return one === other;
  }
  if (one === other) return true;
  if (typeof one !== 'object' && typeof other !== 'object') return false;
  const [left, right] = [plainValue(one), plainValue(other)];
  return left === right || (isExact(left) && isExact(right) && left.rawJSON === right.rawJSON);
}

/** `==`. @throws BudgetFault */
export function isLoose(first: Value, second: Value, budget: Budget): boolean {
  const [one, other] = [plainValue(first), plainValue(second)];
  if (one === undefined || one === null) return other === undefined || other === null;
  if (other === undefined || other === null) return false;
  if (typeof one === typeof other && typeof one !== 'object') return isSame(one, other, budget);
  if (typeof one === 'object' && typeof other === 'object') {
    return isSame(one, other, budget);
  }
  const [left, right] = [toPrimitive(one, budget), toPrimitive(other, budget)];
  if (typeof left === 'string' && typeof right === 'string') return isSame(left, right, budget);
  return toNumber(left, budget) === toNumber(right, budget);
}

/** What `typeof` says. */
export function typeOf(value: Value): string {
  if (value instanceof Callable) return 'function';
  return isExact(value) ? 'number' : typeof value;
}
