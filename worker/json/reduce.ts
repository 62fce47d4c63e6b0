/** `/json/reduce`: the same document with only the paths kept. Contract §7. */
import { isJsonObject, type Json, type JsonObject, setMember } from '../../proto/json.ts';
import { asMoved, inOrder, isMovedWithin, isReordered, namesOf } from '../../proto/ordered-json.ts';
import { Pace, type Pieces } from '../../proto/work/pieces.ts';
import type { Match } from '../language/paths/match.ts';
import { searchBudget } from './limits.ts';
import type { Search } from './parse.ts';

/** What marking a place costs; those above it are marked once. */
const STEPS_PER_MATCH = 8;

/** Members and elements that are looked at between two pauses. */
const CHILDREN_OF_A_PIECE = 8_192;

type Container = Json[] | JsonObject;

/**
 * The document with what the paths find, at the places where it was: elements before one that is
 * kept are null. Spec silent: so are those behind the last one if a path counts from an array's
 * end, else the array ends there; without any match an object or array is empty, and anything
 * else null.
 * @throws GatewayError BAD_REQUEST when the paths take too many steps
 */
export function* reduce({ json, paths }: Search): Pieces<Json> {
  const budget = searchBudget('paths');
  const kept = new KeptChildren(paths.some(({ countsFromEnd }) => countsFromEnd));
  for (const path of paths) {
    yield* path.search(json, budget, (match) => {
      budget.charge(STEPS_PER_MATCH);
      kept.keep(match);
      return undefined;
    });
    yield;
  }
  const left = yield* kept.of(json);
  return isMovedWithin(json) ? asMoved(left) : left;
}

/** Which children of containers are kept, and of which containers. */
class KeptChildren {
  readonly #keepsLengths: boolean;
  readonly #whole = new Set<Json>();
  readonly #elements = new Map<Json, boolean[]>();
  readonly #members = new Map<Json, Set<string>>();

  readonly #pace = new Pace(CHILDREN_OF_A_PIECE);

  constructor(keepsLengths: boolean) {
    this.#keepsLengths = keepsLengths;
  }

  keep(match: Match): void {
    const { parent, value } = match;
    if (parent === undefined || isPart(value)) this.#whole.add(value);
    let each = match;
    while (each.parent !== undefined && this.#mark(each.parent.value, each.key)) each = each.parent;
  }

  /** What is left of a document. The depth of a body is bounded, so this may recurse. */
  *of(value: Json): Pieces<Json> {
    if (this.#whole.has(value)) return value;
    if (Array.isArray(value)) return yield* this.#elementsOf(value);
    return isJsonObject(value) ? yield* this.#membersOf(value) : null;
  }

  /** Whether it was not marked before. */
  #mark(parent: Json, key: string | number): boolean {
    if (typeof key === 'number') {
      const marks = this.#elements.get(parent) ?? [];
      if (marks[key]) return false;
      while (marks.length < key) marks.push(false);
      marks[key] = true;
      this.#elements.set(parent, marks);
      return true;
    }
    const marks = this.#members.get(parent);
    if (marks?.has(key)) return false;
    if (marks) marks.add(key);
    else this.#members.set(parent, new Set([key]));
    return true;
  }

  *#elementsOf(array: Json[]): Pieces<Json[]> {
    const marks = this.#elements.get(array) ?? [];
    const length = this.#keepsLengths && marks.length > 0 ? array.length : marks.length;
    const left: Json[] = [];
    for (let at = 0; at < length; at += 1) {
      if (this.#pace.isOver(1)) yield;
      const child = marks[at] ? array[at] : null;
      left.push(isPart(child) ? yield* this.of(child) : (child ?? null));
    }
    return left;
  }

  *#membersOf(object: JsonObject): Pieces<JsonObject> {
    const marks = this.#members.get(object);
    const left: JsonObject = {};
    if (marks === undefined) return left;
    const names: string[] = [];
    for (const name of namesOf(object)) {
      if (this.#pace.isOver(1)) yield;
      if (!marks.has(name)) continue;
      const child = object[name];
      setMember(left, name, isPart(child) ? yield* this.of(child) : (child ?? null));
      names.push(name);
    }
    return isReordered(object) ? inOrder(left, names) : left;
  }
}

/** Whether of a child that is kept no more than a part may be. */
function isPart(value: Json | undefined): value is Container {
  return Array.isArray(value) || isJsonObject(value);
}
