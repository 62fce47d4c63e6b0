/** Writes the server's rows as JSON text, by the types of their columns. */
import { LruMap } from '../../../proto/lru-map.ts';
import { type Encoder, encoderOf, type FieldValue } from './encode.ts';
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
}

/** How rows of certain columns are written. */
export interface Shape {
  readonly write: RowWriter;
  /** `[{"name", "type"}, …]` */
  readonly columnsJson: string;
}

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
    const write = rowWriter(fields, this.#types, options);
    const shape = { write, columnsJson: JSON.stringify(columns) };
    if (key.length <= REMEMBERED_MAX_CHARACTERS) this.#shapes.set(key, shape);
    return shape;
  }
}

/** A writer for rows of these columns; as objects, the last of several columns of a name wins. */
function rowWriter(
  fields: readonly Field[],
  types: TypeRegistry,
  { numbersAsStrings, rowFormat }: RowOptions,
): RowWriter {
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
    });
  }
  const open = asArray ? '[' : '{';
  const close = asArray ? ']' : '}';
  return (values) => {
    let text = open;
    for (const { index, before, encode } of columns) {
      const value = values[index] ?? null;
      text += before + (value === null ? 'null' : encode(value));
    }
    return text + close;
  };
}

/** Commands whose tag ends in the number of rows they changed. */
const CHANGING = /^(?:INSERT 0|UPDATE|DELETE|MERGE|COPY) (\d+)$/;

/** The number of rows that a command changed, by its tag; undefined for others. */
export function rowsAffected(tag: string): number | undefined {
  const found = CHANGING.exec(tag)?.[1];
  return found === undefined ? undefined : Number(found);
}
