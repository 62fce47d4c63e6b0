/** `/json/reduce`: the same document with only the paths kept. Contract §7. */
import { isJsonObject, type Json, type JsonObject, setMember } from '../../proto/json.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import type { Match } from '../paths/walk.ts';
import { searchBudget } from './limits.ts';
import type { Search } from './parse.ts';

/** What marking a place costs; those above it are marked once. */
const STEPS_PER_MATCH = 8;

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
  const kept = new Kept(paths.some(({ countsFromEnd }) => countsFromEnd));
  for (const path of paths) {
    path.each(json, budget, (match) => {
      budget.charge(STEPS_PER_MATCH);
      kept.keep(match);
    });
    yield;
  }
  return kept.of(json);
}

/** Which children of which containers are kept. */
class Kept {
  readonly #keepsLengths: boolean;
  readonly #whole = new Set<Json>();
  readonly #elements = new Map<Json, boolean[]>();
  readonly #members = new Map<Json, Set<string>>();

  constructor(keepsLengths: boolean) {
    this.#keepsLengths = keepsLengths;
  }

  keep(match: Match): void {
    const { parent, value } = match;
    if (parent === undefined || isContainer(value)) this.#whole.add(value);
    let each = match;
    while (each.parent !== undefined && this.#mark(each.parent.value, each.key)) each = each.parent;
  }

  /** What is left of a document. The depth of a body is bounded, so this may recurse. */
  of(value: Json): Json {
    if (this.#whole.has(value)) return value;
    if (Array.isArray(value)) return this.#elementsOf(value);
    return isJsonObject(value) ? this.#membersOf(value) : null;
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

  #elementsOf(array: Json[]): Json[] {
    const marks = this.#elements.get(array) ?? [];
    const length = this.#keepsLengths && marks.length > 0 ? array.length : marks.length;
    return Array.from({ length }, (_, at) => (marks[at] ? this.#child(array[at]) : null));
  }

  #membersOf(object: JsonObject): JsonObject {
    const marks = this.#members.get(object);
    const left: JsonObject = {};
    if (marks === undefined) return left;
    for (const name of Object.keys(object)) {
      if (marks.has(name)) setMember(left, name, this.#child(object[name]));
    }
    return left;
  }

  /** Of a child that is kept: a container in part or whole, anything else as it is. */
  #child(value: Json | undefined): Json {
    return isContainer(value) ? this.of(value) : (value ?? null);
  }
}

function isContainer(value: Json | undefined): value is Container {
  return Array.isArray(value) || isJsonObject(value);
}
