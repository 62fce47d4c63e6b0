/** Compiles the library's syntax tree of a filter to a test. RFC 9535 §2.3.5, §2.4. */
import { jsonpath } from 'json-p3';
import { isJsonObject, type Json, parseJson } from '../../../proto/json.ts';
import { COMPARISONS, type Comparable, stepsOf } from './compare.ts';
import { PathFault } from './fault.ts';
import { Match } from './match.ts';
import type { Extent } from './pattern.ts';
import { type Query, type Scope, singleSteps, type Test } from './query.ts';
import { resolve, walk } from './walk.ts';

type Expression = jsonpath.expressions.FilterExpression;
/** What an expression stands for; `undefined` for nothing. */
type Value = (value: Json, scope: Scope) => Comparable;
/** Reads what is not the filter's own. */
export interface FilterReader {
  /** A query inside the filter. */
  query(path: jsonpath.JSONPathQuery): Query;
  /** A name or text as it was written. */
  name(read: string): string;
  /** What is in the path where a token was read. */
  source(token: jsonpath.Token): string;
}

const {
  BooleanLiteral,
  FilterQuery,
  FunctionExtension,
  InfixExpression,
  LogicalExpression,
  NullLiteral,
  NumberLiteral,
  PrefixExpression,
  RootQuery,
  StringLiteral,
} = jsonpath.expressions;

/**
 * The test that an expression is.
 * @throws PathFault where the expression is neither true nor false by itself
 */
export function testOf(expression: Expression, reader: FilterReader): Test {
  if (expression instanceof LogicalExpression) return testOf(expression.expression, reader);
  if (expression instanceof PrefixExpression) {
    const test = testOf(expression.right, reader);
    return (value, scope) => !test(value, scope);
  }
  if (expression instanceof InfixExpression) return infixOf(expression, reader);
  if (expression instanceof FilterQuery) {
    const exists = queryIn(expression, reader);
    return (value, scope) => exists(value, scope, () => true);
  }
  if (expression instanceof FunctionExtension) {
    if (expression.name === 'match') return patternTest(expression, reader, 'whole');
    if (expression.name === 'search') return patternTest(expression, reader, 'part');
  }
  throw new PathFault('a value, which must be compared', expression.token.index);
}

function infixOf(
  { left, operator, right, token }: jsonpath.expressions.InfixExpression,
  reader: FilterReader,
): Test {
  if (operator === '&&' || operator === '||') {
    const [first, second] = [testOf(left, reader), testOf(right, reader)];
    return operator === '&&'
      ? (value, scope) => first(value, scope) && second(value, scope)
      : (value, scope) => first(value, scope) || second(value, scope);
  }
  const compare = COMPARISONS[operator];
  if (!compare) throw new PathFault(`has no operator ${operator}`, token.index);
  const [one, other] = [comparableOf(left, reader), comparableOf(right, reader)];
  return (value, scope) => compare(one(value, scope), other(value, scope), scope.budget);
}

function comparableOf(expression: Expression, reader: FilterReader): Value {
  const value =
    literalOf(expression, reader) ??
    (expression instanceof FilterQuery ? singleOf(expression, reader) : undefined) ??
    (expression instanceof FunctionExtension ? callOf(expression, reader) : undefined);
  if (value) return value;
  throw new PathFault('not a value that can be compared', expression.token.index);
}

function literalOf(expression: Expression, reader: FilterReader): Value | undefined {
  if (expression instanceof NullLiteral) return () => null;
  if (expression instanceof BooleanLiteral) {
    const { value } = expression;
    return () => value;
  }
  if (expression instanceof StringLiteral) {
    const text = reader.name(expression.value);
    return () => text;
  }
  if (!(expression instanceof NumberLiteral)) return undefined;
  const number = numberOf(expression, reader);
  return () => number;
}

/** With all its digits, which the library's own value lacks. */
function numberOf({ token }: jsonpath.expressions.NumberLiteral, reader: FilterReader): Json {
  try {
    return parseJson(reader.source(token));
  } catch {
    throw new PathFault('not a number', token.index);
  }
}

function singleOf(
  expression: jsonpath.expressions.FilterQuery,
  reader: FilterReader,
): Value | undefined {
  const steps = singleSteps(reader.query(expression.path));
  const isOfRoot = expression instanceof RootQuery;
  return steps && ((value, scope) => resolve(steps, isOfRoot ? scope.root : value, scope));
}

/** Of the functions whose result is a value. */
function callOf(
  { name, args: [argument] }: jsonpath.expressions.FunctionExtension,
  reader: FilterReader,
): Value | undefined {
  if (name === 'length' && argument) return lengthOf(comparableOf(argument, reader));
  if (!(argument instanceof FilterQuery)) return undefined;
  if (name === 'count') return countOf(queryIn(argument, reader));
  return name === 'value' ? onlyOf(queryIn(argument, reader)) : undefined;
}

/** Hands over what a query finds from `@` or `$`. */
type Find = (value: Json, scope: Scope, take: (match: Match) => boolean) => boolean;

function queryIn(expression: jsonpath.expressions.FilterQuery, reader: FilterReader): Find {
  const query = reader.query(expression.path);
  const isOfRoot = expression instanceof RootQuery;
  return (value, scope, take) => walk(query, new Match(isOfRoot ? scope.root : value), scope, take);
}

/** RFC 9535 §2.4.4: of a text its Unicode scalar values. */
function lengthOf(argument: Value): Value {
  return (value, scope) => {
    const given = argument(value, scope);
    if (typeof given === 'string') {
      scope.budget.charge(given.length);
      let length = 0;
      for (const _ of given) length += 1;
      return length;
    }
    if (Array.isArray(given)) return given.length;
    if (!isJsonObject(given)) return undefined;
    const { length } = Object.keys(given);
    scope.budget.charge(length);
    return length;
  };
}

/** RFC 9535 §2.4.5. */
function countOf(find: Find): Value {
  return (value, scope) => {
    let count = 0;
    find(value, scope, () => {
      count += 1;
      return false;
    });
    return count;
  };
}

/** RFC 9535 §2.4.8: nothing unless there is exactly one. */
function onlyOf(find: Find): Value {
  return (value, scope) => {
    const found: Json[] = [];
    find(value, scope, (match) => found.push(match.value) > 1);
    return found.length === 1 ? found[0] : undefined;
  };
}

/** RFC 9535 §2.4.6 and §2.4.7: false unless both arguments are texts. */
function patternTest(
  { args: [subject, expression], token }: jsonpath.expressions.FunctionExtension,
  reader: FilterReader,
  extent: Extent,
): Test {
  if (!subject || !expression) throw new PathFault('takes two arguments', token.index);
  const [text, pattern] = [comparableOf(subject, reader), comparableOf(expression, reader)];
  return (value, scope) => {
    const [given, wanted] = [text(value, scope), pattern(value, scope)];
    if (typeof given !== 'string' || typeof wanted !== 'string') return false;
    scope.budget.charge(stepsOf(wanted));
    return scope.patterns.get(wanted, extent, scope.budget)(given, scope.budget);
  };
}
