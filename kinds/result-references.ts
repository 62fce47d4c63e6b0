/** Earlier results as values of later operations of a transaction. Contract §6, "Transactions". */
import { badRequest, type GatewayError } from '../proto/errors.ts';
import { isJsonObject, type Json } from '../proto/json.ts';
import { inOrderOf } from '../proto/ordered-json.ts';

/** Answers the result of an earlier operation; undefined when there is none of that index. */
export type EarlierResult = (index: number) => Json | undefined;

/** What `{"$literal": x}` means: x itself, or just an object (an operator of the backend's own). */
export type Literals = 'unwrapped' | 'kept';

/**
 * The value with every `{"$result": "[0].rows[0].id"}` in it replaced by what it points to.
 * @throws GatewayError BAD_REQUEST for a reference that is malformed or points to nothing
 */
export function resolveReferences(value: Json, earlier: EarlierResult, literals: Literals): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => resolveReferences(item, earlier, literals));
    return inOrderOf(items, value);
  }
  if (!isJsonObject(value)) return value;
  const [[name, inner] = [], ...others] = Object.entries(value);
  if (others.length === 0 && inner !== undefined) {
    if (name === '$result' && typeof inner === 'string' && inner.startsWith('[')) {
      return pointedTo(inner, earlier);
    }
    if (name === '$literal' && literals === 'unwrapped') return inner;
  }
  const members = Object.entries(value).map(
    ([key, member]) => [key, resolveReferences(member, earlier, literals)] as const,
  );
  return inOrderOf(Object.fromEntries(members), value);
}

/** `[i]`, `.member`, or `["any member"]`. */
const STEP = /\[(\d{1,9})\]|\.([^.[\]"]+)|\[("(?:[^"\\]|\\.)*")\]/y;

function pointedTo(path: string, earlier: EarlierResult): Json {
  const [operation, ...steps] = stepsOf(path);
  if (typeof operation !== 'number')
    throw badReference(path, 'begins with the index of an operation');
  let value = earlier(operation);
  if (value === undefined)
    throw badReference(path, 'points to an operation that does not come before');
  for (const step of steps) {
    value = memberOf(value, step);
    if (value === undefined) throw badReference(path, 'points to nothing');
  }
  return value;
}

function stepsOf(path: string): (number | string)[] {
  const steps: (number | string)[] = [];
  let at = 0;
  while (at < path.length) {
    STEP.lastIndex = at;
    const [whole, index, member, quoted] = STEP.exec(path) ?? [];
    if (whole === undefined) throw badReference(path, 'is not of the form [0].rows[0].name');
    steps.push(index === undefined ? (member ?? unquoted(path, quoted ?? '')) : Number(index));
    at += whole.length;
  }
  return steps;
}

function unquoted(path: string, quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw badReference(path, 'is not of the form [0].rows[0].name');
  }
}

function memberOf(value: Json, step: number | string): Json | undefined {
  if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function badReference(path: string, problem: string): GatewayError {
  const shown = path.slice(0, 200);
  return badRequest('$result', problem, `The reference ${shown} ${problem}`);
}
