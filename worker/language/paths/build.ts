/** Builds a document from places and values, in any order. */
import { isJsonObject, type Json, type JsonObject, setMember } from '../../../proto/json.ts';
import { asMoved, inOrder, isMovedName, isMovedWithin } from '../../../proto/ordered-json.ts';
import { indexOf, type Segment, type Step } from './step.ts';

/** Most elements of all arrays together that get no value: they become null. Spec silent. */
const GAPS_MAX = 1_000_000;

type Container = Json[] | JsonObject;

/** A document that grows. A place takes one value, and has either a value or children. */
export class Builder {
  /** Its only element is the document. */
  readonly #top: Json[] = [];
  /** Arrays and objects that were put as values; all others hold what was put below them. */
  readonly #values = new Set<Json>();
  /** Where the last value was put. */
  #last: Container = this.#top;
  /** Names of objects that JavaScript lists in another order, in that in which they were put. */
  readonly #names = new Map<JsonObject, string[]>();
  #isMoved = false;
  #gaps = 0;

  /** Puts a value at a place; answers what is in the way, if anything is. */
  put(steps: readonly Step[], value: Json): string | undefined {
    let holder: Container = this.#top;
    let key: Segment = 0;
    for (const step of steps) {
      const container = this.#open(holder, key, step);
      if (typeof container === 'string') return container;
      const next = keyIn(container, step);
      if (next === undefined) return takesOther(container);
      holder = container;
      key = next;
    }
    this.#last = holder;
    return this.#putAt(holder, key, value);
  }

  /** Puts a value at the place that differs in its last step alone from where one was put last. */
  putBeside(step: Step, value: Json): string | undefined {
    const key = keyIn(this.#last, step);
    return key === undefined ? takesOther(this.#last) : this.#putAt(this.#last, key, value);
  }

  /** What was built; `undefined` when nothing was put. Nothing may be put afterwards. */
  finish(): Json | undefined {
    if (this.#gaps > 0) this.#fillGaps();
    for (const [object, names] of this.#names) inOrder(object, names);
    const [document] = this.#top;
    return document !== undefined && this.#isMoved ? asMoved(document) : document;
  }

  #fillGaps(): void {
    const left: Container[] = [this.#top];
    for (let each = left.pop(); each !== undefined; each = left.pop()) {
      if (Array.isArray(each)) {
        for (let at = 0; at < each.length; at += 1) each[at] ??= null;
      }
      for (const child of Object.values<Json>(each)) {
        if (this.#isMade(child)) left.push(child);
      }
    }
  }

  #isMade(value: Json): value is Container {
    return (Array.isArray(value) || isJsonObject(value)) && !this.#values.has(value);
  }

  /** The container at a place, made for the step that follows if there is none. */
  #open(holder: Container, key: Segment, step: Step): Container | string {
    const found = childOf(holder, key);
    if (found !== undefined) {
      return this.#isMade(found) ? found : 'there is a value above it already';
    }
    const made: Container = takesIndexes(step) ? [] : {};
    return this.#set(holder, key, made) ?? made;
  }

  #putAt(holder: Container, key: Segment, value: Json): string | undefined {
    const found = childOf(holder, key);
    if (found !== undefined) {
      return this.#isMade(found) ? 'there are values below it already' : 'there is a value already';
    }
    if (typeof value === 'object' && value !== null) this.#values.add(value);
    this.#isMoved ||= isMovedWithin(value);
    return this.#set(holder, key, value);
  }

  #set(holder: Container, key: Segment, value: Json): string | undefined {
    if (!Array.isArray(holder)) {
      this.#note(holder, String(key));
      setMember(holder, String(key), value);
      return undefined;
    }
    const at = Number(key);
    this.#gaps += at < holder.length ? -1 : at - holder.length;
    if (this.#gaps > GAPS_MAX) return `it leaves more than ${GAPS_MAX} elements without a value`;
    holder[at] = value;
    return undefined;
  }

  /** Of a name that is new: where it is, once JavaScript moves one. */
  #note(object: JsonObject, name: string): void {
    const names = this.#names.get(object);
    if (names !== undefined) names.push(name);
    else if (isMovedName(name)) {
      this.#names.set(object, [...Object.keys(object), name]);
      this.#isMoved = true;
    }
  }
}

function childOf(holder: Container, key: Segment): Json | undefined {
  if (Array.isArray(holder)) return holder[Number(key)];
  return Object.hasOwn(holder, key) ? holder[key] : undefined;
}

/** Spec silent: a token of digits makes an array where nothing is yet. */
function takesIndexes(step: Step): boolean {
  return typeof step === 'number' || (typeof step === 'object' && indexOf(step.token) >= 0);
}

/** The key that a step is in a container; `undefined` when it cannot be one there. */
function keyIn(container: Container, step: Step): Segment | undefined {
  const text = typeof step === 'object' ? step.token : step;
  if (!Array.isArray(container)) return typeof text === 'number' ? undefined : text;
  if (typeof step === 'number') return step;
  const index = typeof step === 'object' ? indexOf(step.token) : -1;
  return index < 0 ? undefined : index;
}

function takesOther(container: Container): string {
  return Array.isArray(container)
    ? 'an array is there already, which takes indexes alone'
    : 'an object is there already, which takes names alone';
}
