/** Writes the server's rows as JSON text, by the types of their columns. */
import type { LongText } from '../../../proto/long-text.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import type { LongEncoder } from '../../long-values.ts';
import {
  type Encoder,
  encoderOf,
  type FieldValue,
  longEncoderOf,
  type TypeInfo,
} from './encode.ts';
import type { TypeRegistry } from './types.ts';

/** One column of a result as the server describes it. */
export interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** How rows are written. */
export interface RowOptions {
  readonly numbersAsStrings: boolean;
  readonly rowFormat: 'object' | 'array';
}

/** Writes one row as JSON text. */
type RowWriter = (values: readonly FieldValue[]) => string;

interface Column {
  readonly index: number;
  readonly before: string;
  readonly encode: Encoder;
  readonly encodeLong: LongEncoder;
  /** How long a character takes to write, as a part of what an array's takes. */
  readonly weight: number;
}

/** How rows of certain columns are written. */
export interface Shape {
  readonly write: RowWriter;
  /** Whether a row takes so long that it is written in pieces. */
  isLong(values: readonly FieldValue[]): boolean;
  /** The same text as `write` has. */
  writeLong(values: readonly FieldValue[], out: LongText): Pieces<void>;
  /** `[{"name", "type"}, …]` */
  readonly columnsJson: string;
}

/** Characters of arrays that are written at once. Most values are far shorter, and written faster than an array. */
export const AT_ONCE_CHARACTERS = 128 * 1024;
/** Of values that are no arrays, and of those whose text is looked through. */
const PLAIN_WEIGHT = 1 / 16;
const JSON_WEIGHT = 1 / 4;

/** Shapes of longer names are made each time. */
const REMEMBERED_MAX_CHARACTERS = 16_384;

/** Shapes that a pool's statements have, remembered by columns. */
export class Shapes {
  readonly #types: TypeRegistry;
  readonly #shapes = new LruMap<string, Shape>(500);

  constructor(types: TypeRegistry) {
    this.#types = types;
  }

  /** The shape of these columns; undefined when the types of some are not known yet. */
  of(fields: readonly Field[], options: RowOptions): Shape | undefined {
    let key = `${options.rowFormat}${options.numbersAsStrings}`;
    // No name holds a NUL.
    for (const { name, dataTypeID } of fields) key += `\0${name}\0${dataTypeID}`;
    const found = this.#shapes.get(key);
    if (found) return found;
    if (!this.#types.knows(fields.map(({ dataTypeID }) => dataTypeID))) return undefined;
    const columns = fields.map(({ name, dataTypeID }) => ({
      name,
      type: this.#types.get(dataTypeID)?.name ?? 'unknown',
    }));
    const writers = rowWriters(fields, this.#types, options);
    const shape = { ...writers, columnsJson: JSON.stringify(columns) };
    if (key.length <= REMEMBERED_MAX_CHARACTERS) this.#shapes.set(key, shape);
    return shape;
  }
}

/** Writers for rows of these columns; as objects, the last of several columns of a name wins. */
function rowWriters(
  fields: readonly Field[],
  types: TypeRegistry,
  options: RowOptions,
): Omit<Shape, 'columnsJson'> {
  const columns = columnsOf(fields, types, options);
  const [open, close] = options.rowFormat === 'array' ? ['[', ']'] : ['{', '}'];
  return {
    write(values) {
      let text = open;
      for (const { index, before, encode } of columns) {
        const value = values[index] ?? null;
        text += before + (value === null ? 'null' : encode(value));
      }
      return text + close;
    },
    isLong(values) {
      let cost = 0;
      for (const { index, weight } of columns) cost += (values[index]?.length ?? 0) * weight;
      return cost > AT_ONCE_CHARACTERS;
    },
    *writeLong(values, out) {
      out.add(open);
      for (const { index, before, encodeLong } of columns) {
        const value = values[index] ?? null;
        out.add(before);
        if (value === null) out.add('null');
        else yield* encodeLong(value, out);
      }
      out.add(close);
    },
  };
}

function columnsOf(
  fields: readonly Field[],
  types: TypeRegistry,
  { numbersAsStrings, rowFormat }: RowOptions,
): readonly Column[] {
  const asArray = rowFormat === 'array';
  const last = new Map(fields.map(({ name }, index) => [name, index]));
  const columns: Column[] = [];
  for (const [index, { name, dataTypeID }] of fields.entries()) {
    if (!asArray && last.get(name) !== index) continue;
    const comma = columns.length > 0 ? ',' : '';
    const type = types.get(dataTypeID) ?? { name: 'unknown', format: 'text' };
    columns.push({
      index,
      before: asArray ? comma : `${comma}${JSON.stringify(name)}:`,
      encode: encoderOf(type, numbersAsStrings),
      encodeLong: longEncoderOf(type, numbersAsStrings),
      weight: weightOf(type),
    });
  }
  return columns;
}

function weightOf({ element, format }: TypeInfo): number {
  if (element) return 1;
  return format === 'json' ? JSON_WEIGHT : PLAIN_WEIGHT;
}

/** Commands whose tag ends in the number of rows they changed. */
const CHANGING = /^(?:INSERT 0|UPDATE|DELETE|MERGE|COPY) (\d+)$/;

/** The number of rows that a command changed, by its tag; undefined for others. */
export function rowsAffected(tag: string): number | undefined {
  const found = CHANGING.exec(tag)?.[1];
  return found === undefined ? undefined : Number(found);
}
