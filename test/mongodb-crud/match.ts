/** Whether a result is as expected, by the rules of the unified test format, "Evaluating Matches". */

/** The first place where it is not; undefined when it matches. Documents at the root may have more members. */
export function mismatch(
  expected: unknown,
  actual: unknown,
  at = '',
  isRoot = true,
): string | undefined {
  const operator = operatorIn(expected);
  if (operator !== undefined) return special(operator, actual, at, isRoot);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length)
      return told(at, expected, actual);
    return first(
      expected.map((each, index) => mismatch(each, actual[index], `${at}[${index}]`, isRoot)),
    );
  }
  if (isObject(expected)) return mismatchedObject(expected, actual, at, isRoot);
  return Object.is(expected, actual) ? undefined : told(at, expected, actual);
}

function mismatchedObject(
  expected: Readonly<Record<string, unknown>>,
  actual: unknown,
  at: string,
  isRoot: boolean,
): string | undefined {
  if (!isObject(actual)) return told(at, expected, actual);
  const members = Object.entries(expected).map(([name, each]) =>
    mismatch(each, Object.hasOwn(actual, name) ? actual[name] : undefined, `${at}.${name}`, false),
  );
  const more = isRoot
    ? undefined
    : Object.keys(actual).find((name) => !Object.hasOwn(expected, name));
  return first(members) ?? (more === undefined ? undefined : `${at}.${more}: is one too many`);
}

type Operator = readonly [name: string, argument: unknown];

function operatorIn(expected: unknown): Operator | undefined {
  if (!isObject(expected)) return undefined;
  const entries = Object.entries(expected);
  const [entry] = entries;
  return entries.length === 1 && entry?.[0].startsWith('$$') ? entry : undefined;
}

function special([name, argument]: Operator, actual: unknown, at: string, isRoot: boolean) {
  switch (name) {
    case '$$exists':
      return (actual !== undefined) === argument
        ? undefined
        : told(at, { [name]: argument }, actual);
    case '$$unsetOrMatches':
      return actual === undefined ? undefined : mismatch(argument, actual, at, isRoot);
    case '$$type': {
      const types = [argument].flat();
      return typesOf(actual).some((each) => types.includes(each))
        ? undefined
        : told(at, { [name]: argument }, actual);
    }
    default:
      throw new Error(`No rule for ${name}`);
  }
}

/** The types of BSON that a value of relaxed Extended JSON may have, as far as the tests ask. */
function typesOf(actual: unknown): string[] {
  if (Array.isArray(actual)) return ['array'];
  if (isObject(actual)) return ['$oid' in actual ? 'objectId' : 'object'];
  return typeof actual === 'number' ? ['int', 'long', 'double'] : [typeof actual];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function first(mismatches: readonly (string | undefined)[]): string | undefined {
  return mismatches.find((each) => each !== undefined);
}

function told(at: string, expected: unknown, actual: unknown): string {
  return `${at || 'result'}: ${JSON.stringify(actual)} in place of ${JSON.stringify(expected)}`;
}
