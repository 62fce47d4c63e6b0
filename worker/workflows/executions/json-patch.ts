/**
 * What makes one JSON value of another, as operations of RFC 6902; numbers are compared and told as they are written.
 * Not by a library: docs/decisions/0035-own-json-patch.md.
 */
import { decimalOf } from '../../../proto/decimal.ts';
import {
  isJsonObject,
  isRawJson,
  type Json,
  type JsonObject,
  numberText,
} from '../../../proto/json.ts';
import { namesOf, withMoved } from '../../../proto/ordered-json.ts';

/** Elements of two lists that are compared one by one, multiplied, of all lists together: others are replaced as a whole. */
const COMPARED_MAX = 250_000;
/** Characters of all operations without their values: beyond, the value is replaced as a whole. As many as a value that records tell. */
const OPERATIONS_MAX = 64 * 1024;
/** Characters of an operation without path and value, about. */
const OPERATION = 30;

/**
 * Operations that make `b` of `a`, none where they are the same; numbers are where their values are.
 * Both as `parseAsWritten` reads them, and no deeper than `DEPTH_MAX`.
 */
export function patchBetween(a: Json, b: Json): JsonObject[] {
  const patch = new Patch();
  patch.compare(a, b, '');
  const isLong = patch.length > OPERATIONS_MAX;
  return withMoved(isLong ? [operation('replace', '', b)] : patch.operations);
}

function operation(op: 'add' | 'replace', path: string, value: Json): JsonObject {
  return withMoved({ op, path, value });
}

class Patch {
  readonly operations: JsonObject[] = [];
  /** Of all operations without their values. */
  length = 0;
  readonly #ids = new Ids();
  #compared = 0;

  compare(a: Json, b: Json, path: string): void {
    if (this.#ids.of(a) === this.#ids.of(b) || this.length > OPERATIONS_MAX) return;
    if (Array.isArray(a) && Array.isArray(b)) this.#compareLists(a, b, path);
    else if (isJsonObject(a) && isJsonObject(b)) this.#compareObjects(a, b, path);
    else this.#put('replace', path, b);
  }

  #compareObjects(a: JsonObject, b: JsonObject, path: string): void {
    for (const name of namesOf(a)) {
      if (!Object.hasOwn(b, name)) this.#remove(below(path, name));
    }
    for (const name of namesOf(b)) {
      const value = b[name] ?? null;
      if (Object.hasOwn(a, name)) this.compare(a[name] ?? null, value, below(path, name));
      else this.#put('add', below(path, name), value);
    }
  }

  /** From the first elements on: those before are as they are in `b` by then. */
  #compareLists(a: readonly Json[], b: Json[], path: string): void {
    const pairs = a.length * b.length;
    if (this.#compared + pairs > COMPARED_MAX) {
      this.#put('replace', path, b);
      return;
    }
    this.#compared += pairs;
    const [ids, others] = [a, b].map((list) => list.map((each) => this.#ids.of(each)));
    for (const { step, i, j } of new Steps(ids ?? [], others ?? []).walk()) {
      const place = `${path}/${i === a.length ? '-' : j}`;
      if (step === 'remove') this.#remove(place);
      else if (step === 'add') this.#put('add', place, b[j] ?? null);
      else this.compare(a[i] ?? null, b[j] ?? null, place);
    }
  }

  #remove(path: string): void {
    this.#add({ op: 'remove', path }, path);
  }

  #put(op: 'add' | 'replace', path: string, value: Json): void {
    this.#add(operation(op, path, value), path);
  }

  #add(made: JsonObject, { length }: string): void {
    this.length += OPERATION + length;
    this.operations.push(made);
  }
}

/** RFC 6901, §3. */
function below(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A number for each value: the same for values that are the same. */
class Ids {
  readonly #known = new Map<string, number>();
  readonly #ofContainers = new Map<object, number>();

  of(value: Json): number {
    if (typeof value !== 'object' || value === null || isRawJson(value)) {
      return this.#idOf(keyOf(value));
    }
    const known = this.#ofContainers.get(value);
    if (known !== undefined) return known;
    const id = this.#idOf(Array.isArray(value) ? this.#listKey(value) : this.#objectKey(value));
    this.#ofContainers.set(value, id);
    return id;
  }

  #listKey(list: readonly Json[]): string {
    return `[${list.map((each) => this.of(each)).join()}`;
  }

  #objectKey(object: JsonObject): string {
    const names = Object.keys(object).sort();
    const members = names.map((name) => `${JSON.stringify(name)}:${this.of(object[name] ?? null)}`);
    return `{${members.join()}`;
  }

  #idOf(key: string): number {
    const id = this.#known.get(key) ?? this.#known.size;
    this.#known.set(key, id);
    return id;
  }
}

/** Of a value without members. RFC 6902, §4.6. */
function keyOf(value: Json): string {
  if (typeof value !== 'number' && !isRawJson(value)) return JSON.stringify(value);
  const { isNegative, digits, exponent } = decimalOf(numberText(value));
  return digits === '' ? '0' : `${isNegative ? '-' : ''}${digits}e${exponent}`;
}

type Step = 'remove' | 'add' | 'replace';

/** The fewest operations that make one list of another. Levenshtein's distance. */
class Steps {
  readonly #a: readonly number[];
  readonly #b: readonly number[];
  /** How many it takes from each place in both to their ends. */
  readonly #costs: Uint32Array;
  readonly #width: number;

  constructor(a: readonly number[], b: readonly number[]) {
    this.#a = a;
    this.#b = b;
    this.#width = b.length + 1;
    this.#costs = new Uint32Array((a.length + 1) * this.#width);
    for (let i = a.length; i >= 0; i -= 1) {
      for (let j = b.length; j >= 0; j -= 1) this.#costs[i * this.#width + j] = this.#costAt(i, j);
    }
  }

  /** What to do from the beginning on, with the place in both lists; `replace` also where both are the same. */
  *walk(): Generator<{ readonly step: Step; readonly i: number; readonly j: number }> {
    for (let [i, j] = [0, 0]; i < this.#a.length || j < this.#b.length; ) {
      const step = this.#at(i, j);
      yield { step, i, j };
      if (step !== 'add') i += 1;
      if (step !== 'remove') j += 1;
    }
  }

  #at(i: number, j: number): Step {
    if (i === this.#a.length) return 'add';
    if (j === this.#b.length) return 'remove';
    const rest = this.#known(i, j) - 1;
    if (this.#a[i] === this.#b[j] || this.#known(i + 1, j + 1) === rest) return 'replace';
    return this.#known(i + 1, j) === rest ? 'remove' : 'add';
  }

  #costAt(i: number, j: number): number {
    if (i === this.#a.length) return this.#b.length - j;
    if (j === this.#b.length) return this.#a.length - i;
    if (this.#a[i] === this.#b[j]) return this.#known(i + 1, j + 1);
    return 1 + Math.min(this.#known(i + 1, j), this.#known(i, j + 1), this.#known(i + 1, j + 1));
  }

  #known(i: number, j: number): number {
    return this.#costs[i * this.#width + j] ?? 0;
  }
}
