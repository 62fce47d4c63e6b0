/** Conditions on metadata. Source: docs.pinecone.io, "Filter by metadata". */
import { Fault } from './fault.ts';

/** A value of metadata. */
type Value = string | number | boolean | string[];
/** Metadata of a record. */
export type Metadata = { [name: string]: Value };

type Test = (metadata: Metadata) => boolean;

/**
 * Whether metadata meets a condition.
 * @throws Fault for what is no condition
 */
export function compileFilter(filter: unknown): Test {
  if (!isObject(filter)) throw new Fault('filter must be an object');
  const tests = Object.entries(filter).map(([name, condition]) => {
    if (name === '$and' || name === '$or') return compileLogic(name, condition);
    if (name.startsWith('$')) {
      throw new Fault(
        `only logical operators ($or and $and) are allowed at top level, got ${name}`,
      );
    }
    return compileField(name, condition);
  });
  return (metadata) => tests.every((test) => test(metadata));
}

function compileLogic(name: '$and' | '$or', condition: unknown): Test {
  if (!Array.isArray(condition) || condition.length === 0) {
    throw new Fault(`the ${name} operator must be followed by a non-empty list of conditions`);
  }
  const tests = condition.map(compileFilter);
  return name === '$and'
    ? (metadata) => tests.every((test) => test(metadata))
    : (metadata) => tests.some((test) => test(metadata));
}

/** A plain value is `$eq` of it; several operators are all meant. */
function compileField(name: string, condition: unknown): Test {
  if (!isObject(condition)) return compileOperator(name, '$eq', condition);
  const tests = Object.entries(condition).map(([operator, operand]) =>
    compileOperator(name, operator, operand),
  );
  return (metadata) => tests.every((test) => test(metadata));
}

function compileOperator(name: string, operator: string, operand: unknown): Test {
  const own = (metadata: Metadata) => (Object.hasOwn(metadata, name) ? metadata[name] : undefined);
  if (operator === '$exists') {
    if (typeof operand !== 'boolean') throw new Fault('$exists must be followed by a boolean');
    return (metadata) => (own(metadata) !== undefined) === operand;
  }
  if (operator === '$eq' || operator === '$ne') {
    if (!isScalar(operand)) throw must(operator, 'a string, boolean or number', operand);
    const wanted = operator === '$eq';
    return tellOf(own, (value) => holds(value, operand) === wanted);
  }
  if (operator === '$in' || operator === '$nin') {
    if (!Array.isArray(operand) || !operand.every(isScalar)) {
      throw must(operator, 'a list of strings, booleans or numbers', operand);
    }
    const wanted = operator === '$in';
    return tellOf(own, (value) => operand.some((each) => holds(value, each)) === wanted);
  }
  const compare = COMPARISONS[operator];
  if (!compare) throw new Fault(`${operator} is not a valid operator`);
  if (typeof operand !== 'number') throw must(operator, 'a number', operand);
  return (metadata) => {
    const value = own(metadata);
    return typeof value === 'number' && compare(value, operand);
  };
}

/**
 * Of a record without the member no operator but `$exists` is true, neither `$ne` nor `$nin`.
 * Source: deepset-ai/haystack-core-integrations, issue 590, and n8n-io/n8n, pull request 33758.
 */
function tellOf(
  own: (metadata: Metadata) => Value | undefined,
  meets: (value: Value) => boolean,
): Test {
  return (metadata) => {
    const value = own(metadata);
    return value !== undefined && meets(value);
  };
}

const COMPARISONS: { readonly [operator: string]: (value: number, than: number) => boolean } = {
  $gt: (value, than) => value > than,
  $gte: (value, than) => value >= than,
  $lt: (value, than) => value < than,
  $lte: (value, than) => value <= than,
};

/** A list of strings holds each of them. */
function holds(value: Value, operand: unknown): boolean {
  return Array.isArray(value) ? value.some((each) => each === operand) : value === operand;
}

function must(operator: string, what: string, got: unknown): Fault {
  return new Fault(
    `the ${operator} operator must be followed by ${what}, got ${JSON.stringify(got)} instead`,
  );
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
