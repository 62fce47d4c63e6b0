/** A change as filters and mappings see it: `$`. Spec: workflows.md §5, `dataChange`. */
import { CHANGE_OPERATIONS, type ChangeOperation } from '../../proto/changes.ts';
import type { Change } from '../../proto/gen/relay/v1/relay_pb.ts';
import {
  isJsonObject,
  isRawJson,
  type Json,
  type JsonObject,
  numberText,
  parseJson,
  setMember,
} from '../../proto/json.ts';
import { parseInPieces, TooDeep } from '../../proto/json-pieces.ts';
import { namesOf, orderedText, withNames } from '../../proto/ordered-json.ts';
import { Pace, type Pieces } from '../../proto/work/pieces.ts';
import { noReply } from '../drivers/no-reply.ts';

/** What a relay reports a change. */
export type ToldChange = Pick<
  Change,
  | 'id'
  | 'collection'
  | 'watched'
  | 'operation'
  | 'key'
  | 'before'
  | 'after'
  | 'absent'
  | 'keyOnly'
  | 'time'
  | 'mark'
>;

const decoder = new TextDecoder();
/** Members that one piece compares. */
const COMPARED = 200;

/** The operation of a change. @throws GatewayError as `noReply` has it, where a relay names one that is none */
export function operationOf({ operation }: Pick<ToldChange, 'operation'>): ChangeOperation {
  const known = CHANGE_OPERATIONS.find((each) => each === operation);
  if (known === undefined) throw noReply(false, 'a change has no operation');
  return known;
}

/** Bytes of what a relay reports a change: up to so many are read at once. */
export function sizeOf({ key, before, after }: ToldChange): number {
  return key.byteLength + before.byteLength + after.byteLength;
}

/**
 * In pieces: `{operation, endpoint, collection, key, before, after, changes, id, time}`. What a backend does not
 * say of a member of `after` that stayed the same is taken from `before`.
 * @param id our own receipt of it @param endpoint its id
 * @throws GatewayError as `noReply` has it, where a relay told what is no JSON, or of no operation
 */
export function* rootOf(
  told: ToldChange,
  { id, endpoint }: { readonly id: string; readonly endpoint: string },
): Pieces<JsonObject> {
  const operation = operationOf(told);
  const before = yield* jsonIn(told.before);
  const after = withAbsent(yield* jsonIn(told.after), before, told.absent);
  const { collection, time } = told;
  return {
    operation,
    endpoint,
    collection,
    key: yield* jsonIn(told.key),
    before,
    after,
    changes: yield* changesBetween(operation, before, after, !told.keyOnly),
    id,
    time,
  };
}

/** What nests too deeply is its text: a database may keep what no request can bring. */
function* jsonIn(bytes: Uint8Array): Pieces<Json> {
  if (bytes.byteLength === 0) return null;
  const text = decoder.decode(bytes);
  try {
    return yield* parseInPieces(text);
  } catch (thrown) {
    if (thrown instanceof TooDeep) return text;
    if (thrown instanceof SyntaxError) throw noReply(false, 'a change is no JSON');
    throw thrown;
  }
}

function withAbsent(after: Json, before: Json, absent: readonly string[]): Json {
  if (absent.length === 0 || !isJsonObject(after) || !isJsonObject(before)) return after;
  const whole = { ...after };
  for (const name of absent) {
    const kept = ownOf(before, name);
    if (kept !== undefined) setMember(whole, name, kept);
  }
  return whole;
}

/**
 * From each member that differs to what it was and is: of an insert all that are there, of a delete all
 * that were, of an update those of which `before` is known. A side without the member is left out.
 * @param isWhole whether `before`, where there is one, has every member that there was
 */
function* changesBetween(
  operation: ChangeOperation,
  before: Json,
  after: Json,
  isWhole: boolean,
): Pieces<JsonObject> {
  const changes: JsonObject = {};
  const [was, is] = [isJsonObject(before) ? before : {}, isJsonObject(after) ? after : {}];
  if (operation === 'update' && !isJsonObject(before)) return changes;
  // What a backend does not say of an update is no change.
  const isKnown = (name: string) =>
    isWhole || operation !== 'update' || (Object.hasOwn(was, name) && Object.hasOwn(is, name));
  const pace = new Pace(COMPARED);
  const names: string[] = [];
  for (const name of namesOfBoth(was, is)) {
    if (pace.isOver(1)) yield;
    const change = isKnown(name) && (yield* changeBetween(ownOf(was, name), ownOf(is, name), pace));
    if (!change) continue;
    setMember(changes, name, change);
    names.push(name);
  }
  return withNames(changes, names);
}

function* namesOfBoth(was: JsonObject, is: JsonObject): Generator<string> {
  yield* namesOf(was);
  for (const name of namesOf(is)) if (!Object.hasOwn(was, name)) yield name;
}

function* changeBetween(
  before: Json | undefined,
  after: Json | undefined,
  pace: Pace,
): Pieces<JsonObject | undefined> {
  if (before === undefined) return after === undefined ? undefined : { after };
  if (after === undefined) return { before };
  return (yield* isSame(before, after, pace)) ? undefined : { before, after };
}

function ownOf(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Whether two values are the same JSON, whatever the order of members. */
function* isSame(one: Json, other: Json, pace: Pace): Pieces<boolean> {
  if (pace.isOver(1)) yield;
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) return yield* areSame(one, other, pace);
  if (isRawJson(one) && isRawJson(other)) return numberText(one) === numberText(other);
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  return yield* haveSame(one, other, pace);
}

function* haveSame(one: JsonObject, other: JsonObject, pace: Pace): Pieces<boolean> {
  const names = namesOf(one);
  if (names.length !== namesOf(other).length) return false;
  for (const name of names) {
    const [here, there] = [ownOf(one, name), ownOf(other, name)];
    if (here === undefined || there === undefined) return false;
    if (!(yield* isSame(here, there, pace))) return false;
  }
  return true;
}

function* areSame(one: readonly Json[], other: readonly Json[], pace: Pace): Pieces<boolean> {
  if (one.length !== other.length) return false;
  for (const [at, each] of one.entries()) {
    if (!(yield* isSame(each, other[at] ?? null, pace))) return false;
  }
  return true;
}

/** What `rootOf` made, as text, in pieces. */
export function* sealedRoot(text: string): Pieces<JsonObject> {
  try {
    return (yield* parseInPieces(text)) as JsonObject; // As it was made.
  } catch (thrown) {
    // What it holds nests a little less deeply than what a request may bring, and it does so more.
    if (thrown instanceof TooDeep) return parseJson(text) as JsonObject;
    throw thrown;
  }
}

/** What `$.trigger` of a run reports the change that started it: without its body. */
export function toldOf(root: JsonObject): JsonObject {
  const { before: _before, after: _after, changes: _changes, ...change } = root;
  return { change };
}

/** The text of a change's key: changes of one key are told of in their order. */
export function keyTextOf({ key }: JsonObject): string {
  return key === undefined ? 'null' : orderedText(key);
}
