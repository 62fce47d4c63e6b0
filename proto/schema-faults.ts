/** Says why a value does not fit a schema, in the gateway's words rather than the schema library's. */
import * as z from 'zod';
import { hintFor, meantName } from './near-name.ts';
import { truncated } from './truncate.ts';

/** What is wrong, and where: members joined by dots. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

/** Characters of a wrong name that are told. */
const NAME_MAX = 100;
/** Wrong names of one object that are told; of more only how many. Spec silent. */
const NAMES_MAX = 100;

/** Stands for a union whose forms tell more than the union does. */
const NO_FORM = 'has none of the forms that it may have';

/** For the parameters of a parse: errors get the words of this file where a schema has none of its own. */
export const IN_OUR_WORDS: z.core.ParseContext<Issue> = { error: wordsOf };

/**
 * All faults of an error that was made with `IN_OUR_WORDS`. A name that is misspelt comes first: it
 * explains why another is missing.
 * @param where names the value itself, for what has no path within it
 */
export function faultsOf(error: z.core.$ZodError, where: string): readonly Fault[] {
  const faults = error.issues.flatMap((issue) => faultsIn(issue, []));
  const named = faults.map(({ path, message }) => ({ path: path.join('.') || where, message }));
  const isHint = ({ message }: Fault) => message.includes('; did you mean');
  return [...named.filter(isHint), ...named.filter((fault) => !isHint(fault))];
}

interface SchemaFault {
  readonly path: readonly string[];
  readonly message: string;
}

/** Of a union, what is wrong with the one form that the value can be meant to have. */
function faultsIn(issue: Issue, at: readonly string[]): SchemaFault[] {
  const path = [...at, ...issue.path.map(String)];
  if (issue.code !== 'invalid_union' || issue.message !== NO_FORM) {
    return [{ path, message: issue.message }];
  }
  const meant = issue.errors.filter((form) => !form.some(isOfOtherType));
  const [form] = meant.toSorted((one, other) => one.length - other.length);
  if (form !== undefined) return form.flatMap((each) => faultsIn(each, path));
  const forms = issue.errors.flatMap((each) => each.map(({ message }) => message));
  return [{ path, message: [...new Set(forms)].join(', or ') || NO_FORM }];
}

function isOfOtherType({ code, path }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

/** The words for one issue; `undefined` leaves it to the library. */
function wordsOf(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : `must be ${typeName(issue.expected)}, not ${typeName(typeOf(issue.input))}`;
    case 'invalid_value':
      return ofValues(issue.values, issue.input);
    case 'unrecognized_keys':
      return ofUnknown(issue);
    case 'too_small':
      return sized(
        issue.origin,
        issue.inclusive === false ? 'more than' : 'at least',
        issue.minimum,
      );
    case 'too_big':
      return sized(
        issue.origin,
        issue.inclusive === false ? 'less than' : 'at most',
        issue.maximum,
      );
    case 'invalid_format':
      return FORMATS[issue.format] ?? `must be of the form ${issue.pattern ?? issue.format}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_key':
      return 'has a name that is not taken';
    case 'invalid_union':
      return ofUnion(issue);
    default:
      return undefined;
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  email: 'must be an email address',
  uuid: 'must be a UUID',
  url: 'must be a URL',
  datetime: 'must be a time such as 2026-01-31T12:00:00.000Z',
  date: 'must be a date such as 2026-01-31',
};

/** As JSON names them. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  tuple: 'an array',
  undefined: 'there',
};

function typeName(type: string): string {
  return TYPES[type] ?? type;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** @param values of any type, each told as JSON writes it */
function ofValues(values: readonly unknown[], given: unknown): string {
  const all = values.map((each) =>
    typeof each === 'bigint' ? String(each) : JSON.stringify(each),
  );
  const expected = all.length === 1 ? all.join() : `one of ${all.join(', ')}`;
  if (given === undefined) return `is required: ${expected}`;
  const names = values.filter((each) => typeof each === 'string');
  const meant = typeof given === 'string' ? meantName(given, names) : undefined;
  return meant === undefined
    ? `must be ${expected}`
    : `must be ${expected}; did you mean "${meant}"?`;
}

type UnknownKeys = Extract<RawIssue, { code: 'unrecognized_keys' }>;

/**
 * For a strict object that is one form of several: the words for its unknown members.
 * @param own the member that tells this form from another, whose own member is `other`
 */
export function oneOfForms(own: string, other: string): { error: z.core.$ZodErrorMap } {
  return {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const { keys, inst } = issue as UnknownKeys;
      if (keys.includes(other)) return `${other} is not taken together with ${own}`;
      const shape = inst instanceof z.ZodObject ? Object.keys(inst.shape) : [];
      return ofUnknown(issue as UnknownKeys, [...shape, other]);
    },
  };
}

function ofUnknown(
  { keys, inst, input }: UnknownKeys,
  known = inst instanceof z.ZodObject ? Object.keys(inst.shape) : [],
): string {
  const isTaken = (name: string) => isObject(input) && Object.hasOwn(input, name);
  const hints = keys
    .slice(0, NAMES_MAX)
    .map((key) => truncated(key, NAME_MAX))
    .map((name) => [JSON.stringify(name), hintFor(name, known, { isTaken })] as const)
    .toSorted(([, one], [, other]) => Number(other.endsWith('?')) - Number(one.endsWith('?')));
  // Those of one hint together, so that no list of names is told twice.
  const sentences = [...Map.groupBy(hints, ([, hint]) => hint)].map(([hint, alike]) => {
    const names = alike.map(([name]) => name).join(', ');
    return `${names} ${alike.length === 1 ? 'is' : 'are'} not known; ${hint}`;
  });
  const more = keys.length - hints.length;
  return sentences.join(' ') + (more > 0 ? `; ${more} more are not known` : '');
}

function sized(origin: string, bound: string, limit: number | bigint): string {
  const unit = UNITS[origin];
  if (unit === undefined) return `must be ${bound} ${limit}`;
  if (bound === 'at least' && limit === 1) return 'may not be empty';
  return `must have ${bound} ${limit} ${unit}${limit === 1 ? '' : 's'}`;
}

const UNITS: Readonly<Record<string, string>> = {
  string: 'character',
  array: 'element',
  record: 'member',
  object: 'member',
};

/** Where one member decides which form is meant, that member must be one of some values. */
function ofUnion({ options, discriminator, input }: UnionIssue): string {
  if (typeof discriminator !== 'string' || !Array.isArray(options)) return NO_FORM;
  return ofValues(options.map(String), isObject(input) ? input[discriminator] : undefined);
}

type UnionIssue = Extract<RawIssue, { code: 'invalid_union' }>;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
