/** Writes values as the bytes of their types, in pieces: a collection may have millions of elements. */
import { isJsonObject, type Json, numberText, type RawJson } from '../../../proto/json.ts';
import { namesOf } from '../../../proto/ordered-json.ts';
import { Pace, type Pieces } from '../../../proto/work/pieces.ts';
import { ByteWriter } from './byte-writer.ts';
import { type CqlType, fixedLength, typeName } from './marshal.ts';
import { vint } from './numbers.ts';
import { isNumber, SIMPLE_WRITERS } from './scalars.ts';

/** Values that are written between two pauses. */
const VALUES_OF_A_PIECE = 512;
const NULL_LENGTH = -1;

/** A value that does not fit its type. */
export class Unfit extends Error {
  readonly problem: string;
  /** Where it is within the value that is written, from the outside in. */
  readonly within: (string | number)[] = [];

  constructor(problem: string) {
    super(problem);
    this.problem = problem;
  }
}

/** The bytes of a value of a type. @throws Unfit */
export function* encoded(value: Json, type: CqlType): Pieces<Buffer> {
  if (type.kind === 'simple') return scalar(value, type.name);
  const encoding = new Encoding();
  yield* encoding.value(value, type);
  return encoding.bytes.take();
}

/** Writes a value of a type that contains no others. */
function scalar(value: Json, name: string): Buffer {
  const result = SIMPLE_WRITERS[name]?.(value) ?? `cannot be a value of type ${name}`;
  if (typeof result === 'string') throw new Unfit(result);
  return result;
}

class Encoding {
  readonly bytes = new ByteWriter();
  readonly #pace = new Pace(VALUES_OF_A_PIECE);

  *value(value: Json, type: CqlType): Pieces<void> {
    switch (type.kind) {
      case 'simple':
        this.bytes.write(scalar(value, type.name));
        return;
      case 'list':
      case 'set':
        yield* this.#list(arrayOf(value, type), type.of);
        return;
      case 'map':
        yield* this.#map(value, type);
        return;
      case 'tuple':
        for (const [index, item] of sized(value, type, type.of.length).entries()) {
          yield* this.#cell(item, type.of[index] ?? type, index);
        }
        return;
      case 'vector':
        yield* this.#vector(sized(value, type, type.size), type.of);
        return;
      case 'udt':
        yield* this.#userDefined(value, type);
    }
  }

  *#list(items: readonly Json[], of: CqlType): Pieces<void> {
    this.bytes.int32(items.length);
    for (const [index, item] of items.entries()) yield* this.#filled(item, of, index);
  }

  *#map(value: Json, type: CqlType & { kind: 'map' }): Pieces<void> {
    const place = this.bytes.int32(0);
    let count = 0;
    for (const [key, inner] of pairsOf(value, type)) {
      const at = shown(key);
      yield* this.#filled(key, type.key, at);
      yield* this.#filled(inner, type.value, at);
      count += 1;
    }
    this.bytes.setInt32(place, count);
  }

  *#vector(items: readonly Json[], of: CqlType): Pieces<void> {
    const isFixed = fixedLength(of) !== undefined;
    for (const [index, item] of items.entries()) {
      if (this.#pace.isOver(1)) yield;
      try {
        if (item === null) throw new Unfit('must not be null');
        if (isFixed) yield* this.value(item, of);
        else {
          const bytes = yield* encoded(item, of);
          this.bytes.write(vint(BigInt(bytes.length)));
          this.bytes.write(bytes);
        }
      } catch (cause) {
        throw within(index, cause);
      }
    }
  }

  *#userDefined(value: Json, type: CqlType & { kind: 'udt' }): Pieces<void> {
    if (!isJsonObject(value)) throw new Unfit(`must be an object for type ${type.name}`);
    const known = new Set(type.fields.map(({ name }) => name));
    const extra = namesOf(value).find((name) => !known.has(name));
    if (extra !== undefined) throw within(extra, new Unfit(`is no field of type ${type.name}`));
    for (const field of type.fields) {
      const own = Object.hasOwn(value, field.name) ? value[field.name] : null;
      yield* this.#cell(own ?? null, field.type, field.name);
    }
  }

  /** A value behind its length. */
  *#cell(value: Json, type: CqlType, name: string | number): Pieces<void> {
    if (this.#pace.isOver(1)) yield;
    const place = this.bytes.int32(NULL_LENGTH);
    if (value === null) return;
    const begin = this.bytes.length;
    try {
      // A generator for each of millions would cost more than what it writes.
      if (type.kind === 'simple') this.bytes.write(scalar(value, type.name));
      else yield* this.value(value, type);
    } catch (cause) {
      throw within(name, cause);
    }
    this.bytes.setInt32(place, this.bytes.length - begin);
  }

  *#filled(value: Json, type: CqlType, name: string | number): Pieces<void> {
    if (value === null) throw within(name, new Unfit('must not be null inside a collection'));
    yield* this.#cell(value, type, name);
  }
}

function within(name: string | number, cause: unknown): unknown {
  if (cause instanceof Unfit) cause.within.unshift(name);
  return cause;
}

function arrayOf(value: Json, type: CqlType): Json[] {
  if (!Array.isArray(value)) throw new Unfit(`must be an array for type ${typeName(type)}`);
  return value;
}

function sized(value: Json, type: CqlType, size: number): Json[] {
  const items = arrayOf(value, type);
  if (items.length === size) return items;
  throw new Unfit(`must have ${size} elements for type ${typeName(type)}`);
}

/** Of an object, or of an array of `[key, value]`. */
function* pairsOf(value: Json, type: CqlType): Generator<readonly [Json, Json]> {
  if (isJsonObject(value)) {
    for (const name of namesOf(value)) yield [name, value[name] ?? null];
  } else if (Array.isArray(value)) {
    for (const [index, pair] of value.entries()) {
      if (!Array.isArray(pair) || pair.length !== 2) {
        throw within(index, new Unfit('must be an array of a key and a value'));
      }
      yield [pair[0] ?? null, pair[1] ?? null];
    }
  } else {
    const forms = 'an object, or an array of [key, value],';
    throw new Unfit(`must be ${forms} for type ${typeName(type)}`);
  }
}

function shown(key: Json): string {
  if (typeof key === 'string') return key;
  return isNumber(key) ? numberText(key as number | RawJson) : JSON.stringify(key).slice(0, 64);
}
