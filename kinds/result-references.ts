/** Earlier results as values of later operations of a transaction. Contract §6, "Transactions". */
import { GatewayError } from '../proto/errors.ts';
import { isJsonObject, isRawJson, type Json, type JsonObject } from '../proto/json.ts';
import { inOrderOf, namesOf, onlyNameOf } from '../proto/ordered-json.ts';
import { Pace, type Pieces } from '../proto/work/pieces.ts';

/** Answers the result of an earlier operation; undefined when there is none of that index. */
type EarlierResult = (index: number) => Json | undefined;

/** Answers what a path such as `[0].rows[0].id` points to. @throws GatewayError BAD_REQUEST where that is nothing */
export type PointTo = (path: string) => Json;

/** What `{"$literal": x}` means: x itself, or just an object (an operator of the backend's own). */
type Literals = 'unwrapped' | 'kept';

/** Longest path of a reference, in characters. Spec silent. */
const PATH_MAX = 1_024;
/** Characters that references may put into one operation: as many as a request may have bytes. Spec silent. */
const PUT_IN_MAX = 10 * 1024 * 1024;
/** Values that are looked at between two pauses. */
const LOOKED_AT = 4_096;

/** Values whose text has neither references nor literals. */
const unreferring = new WeakSet<object>();

/** Notes that the text of a value has none: of a large one, looking at each value within would be one long piece. */
export function noteUnreferring(value: unknown): void {
  if (isContainer(value)) unreferring.add(value);
}

/** Whether that was noted. */
export function isUnreferring(value: object): boolean {
  return unreferring.has(value);
}

/** What references may still put into one operation: a short one can name a large value often. */
export class ReferenceRoom {
  #left = PUT_IN_MAX;

  /** @throws GatewayError BAD_REQUEST when there is no room left */
  take(path: string, value: Json): void {
    this.#left -= lengthOf(value, this.#left);
    if (this.#left < 0) throw new BadReference(path, `puts in more than ${PUT_IN_MAX} characters`);
  }
}

/** About the characters of a value's text; more than `most` is not counted to its end. */
function lengthOf(value: Json, most: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null || isRawJson(value)) return 4;
  let length = 2;
  if (Array.isArray(value)) {
    for (const [at, element] of value.entries()) {
      length += String(at).length + lengthOf(element, most - length);
      if (length > most) break;
    }
    return length;
  }
  for (const name of namesOf(value)) {
    length += name.length + lengthOf(value[name] ?? null, most - length);
    if (length > most) break;
  }
  return length;
}

/** Paths that are pointed to within results that are at hand. */
export function pointIn(earlier: EarlierResult): PointTo {
  return (path) => pointedTo(path, earlier);
}

/**
 * The value with every `{"$result": "[0].rows[0].id"}` in it replaced by what it points to; what has none within is not copied.
 * @param room of the operation that the value is part of
 * @throws GatewayError BAD_REQUEST for a reference that is malformed, points to nothing or puts in too much
 */
export function resolveReferences(
  value: Json,
  point: PointTo,
  literals: Literals,
  room = new ReferenceRoom(),
): Json {
  if (isContainer(value) && isUnreferring(value)) return value;
  const resolve = (each: Json): Json => {
    if (typeof each !== 'object' || each === null) return each;
    if (Array.isArray(each)) return itemsWith(each, resolve);
    if (!isJsonObject(each)) return each;
    const meant = meantBy(each, { point, literals, room });
    return meant === undefined ? membersWith(each, resolve) : meant;
  };
  return resolve(value);
}

/** What an object stands for; undefined where it stands for itself. */
function meantBy(
  object: JsonObject,
  { point, literals, room }: { point: PointTo; literals: Literals; room: ReferenceRoom },
): Json | undefined {
  const name = onlyNameOf(object);
  const inner = name === undefined ? undefined : object[name];
  if (inner === undefined) return undefined;
  if (name === '$literal' && literals === 'unwrapped') return inner;
  if (name !== '$result' || !isPath(inner)) return undefined;
  const found = point(inner);
  room.take(inner, found);
  return found;
}

/** The array with what `resolve` makes of its elements: the same one where that is nothing else, as it may have millions. */
function itemsWith(array: Json[], resolve: (element: Json) => Json): Json {
  let items: Json[] | undefined;
  for (let at = 0; at < array.length; at += 1) {
    const item = array[at] ?? null;
    const resolved = resolve(item);
    if (resolved === item) continue;
    items ??= [...array];
    items[at] = resolved;
  }
  return items === undefined ? array : inOrderOf(items, array);
}

/** The object with what `resolve` makes of its members: the same one where that is nothing else. */
export function membersWith(value: JsonObject, resolve: (member: Json) => Json): JsonObject {
  const others = new Map<string, Json>();
  for (const name of namesOf(value)) {
    const member = value[name];
    if (member === undefined) continue;
    const resolved = resolve(member);
    if (resolved !== member) others.set(name, resolved);
  }
  if (others.size === 0) return value;
  const members = Object.entries(value).map(
    ([name, member]) => [name, others.has(name) ? (others.get(name) ?? null) : member] as const,
  );
  return inOrderOf(Object.fromEntries(members), value);
}

/** Paths of all references within a value, also where they turn out to be none, by the index of their operation. */
export function* pathsInPieces(value: unknown): Pieces<ReadonlyMap<number, ReadonlySet<string>>> {
  const paths = new Map<number, Set<string>>();
  const open: object[] = isContainer(value) ? [value] : [];
  const pace = new Pace(LOOKED_AT);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const within = withinOf(next);
    for (let at = 0; at < within.length; at += LOOKED_AT) {
      if (pace.isOver(Math.min(LOOKED_AT, within.length - at))) yield;
      keepSome(open, within, at);
    }
    if (pace.isOver(1)) yield;
    if ('$result' in next) note(paths, next.$result);
  }
  return paths;
}

/** What is within an array or object, none of it copied. */
interface Within {
  readonly values: { readonly [name: string | number]: unknown };
  readonly names: readonly string[] | undefined;
  readonly length: number;
}

function withinOf(value: object): Within {
  if (Array.isArray(value)) {
    const values = value as unknown as Within['values']; // Its elements are at their indices.
    return { values, names: undefined, length: value.length };
  }
  const values = value as JsonObject; // Or a request, which has names, too.
  const names = namesOf(values);
  return { values, names, length: names.length };
}

function keepSome(open: object[], { values, names, length }: Within, from: number): void {
  const end = Math.min(from + LOOKED_AT, length);
  for (let at = from; at < end; at += 1) {
    const each = values[names?.[at] ?? at];
    if (isContainer(each)) open.push(each);
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function note(paths: Map<number, Set<string>>, path: unknown): void {
  const index = isPath(path) ? indexOf(path) : undefined;
  if (index === undefined) return;
  const known = paths.get(index) ?? new Set();
  paths.set(index, known.add(String(path)));
}

function isPath(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('[');
}

function indexOf(path: string): number | undefined {
  const index = /^\[(\d{1,9})\]/.exec(path)?.[1];
  return index === undefined || path.length > PATH_MAX ? undefined : Number(index);
}

/** `[i]`, `.member`, or `["any member"]`. */
const STEP = /\[(\d{1,9})\]|\.([^.[\]"]+)|\[("(?:[^"\\]|\\.)*")\]/y;

function pointedTo(path: string, earlier: EarlierResult): Json {
  if (path.length > PATH_MAX) throw new BadReference(path, `is longer than ${PATH_MAX} characters`);
  const [operation, ...steps] = stepsOf(path);
  if (typeof operation !== 'number')
    throw new BadReference(path, 'begins with the index of an operation');
  let value = earlier(operation);
  if (value === undefined)
    throw new BadReference(path, 'points to an operation that does not come before');
  for (const step of steps) {
    value = memberOf(value, step);
    if (value === undefined) throw new BadReference(path, 'points to nothing');
  }
  return value;
}

function stepsOf(path: string): (number | string)[] {
  const steps: (number | string)[] = [];
  let at = 0;
  while (at < path.length) {
    STEP.lastIndex = at;
    const [whole, index, member, quoted] = STEP.exec(path) ?? [];
    if (whole === undefined) throw new BadReference(path, 'is not of the form [0].rows[0].name');
    steps.push(index === undefined ? (member ?? unquoted(path, quoted ?? '')) : Number(index));
    at += whole.length;
  }
  return steps;
}

function unquoted(path: string, quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw new BadReference(path, 'is not of the form [0].rows[0].name');
  }
}

function memberOf(value: Json, step: number | string): Json | undefined {
  if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/** What is wrong with a reference. */
export class BadReference extends GatewayError {
  /** Its path. */
  readonly reference: string;
  readonly #problem: string;

  /** @param at where it is, dotted */
  constructor(reference: string, problem: string, at = '$result') {
    const message = `The reference ${reference.slice(0, 200)} ${problem}`;
    super('BAD_REQUEST', message, { details: [{ path: at, message: problem }] });
    this.reference = reference;
    this.#problem = problem;
  }

  /** The same, with where it is first within a value. @param at where the value is, dotted; empty for a request itself */
  within(value: Json, at: string): BadReference {
    const path = placeOf(this.reference, value);
    const whole = [...(at === '' ? [] : [at]), ...(path ?? [])].join('.');
    return path === undefined || whole === ''
      ? this
      : new BadReference(this.reference, this.#problem, whole);
  }
}

/** Names on the way to a reference; undefined where it is not within the value. */
function placeOf(reference: string, value: Json): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null || isRawJson(value)) return undefined;
  const only = isJsonObject(value) ? onlyNameOf(value) : undefined;
  if (only === '$literal') return undefined;
  if (isJsonObject(value) && only === '$result' && value.$result === reference) return [];
  for (const [name, inner] of Object.entries(value)) {
    const found = placeOf(reference, inner);
    if (found !== undefined) return [name, ...found];
  }
  return undefined;
}

/** Does what resolves references within a value. @param at as for `BadReference.within` @throws GatewayError naming where the bad one is */
export function resolvedWithin<Value>(value: Json, at: string, resolve: () => Value): Value {
  try {
    return resolve();
  } catch (thrown) {
    throw thrown instanceof BadReference ? thrown.within(value, at) : thrown;
  }
}
