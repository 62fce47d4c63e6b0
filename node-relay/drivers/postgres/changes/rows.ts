/** Turns the rows of a log into changes: values by their types as reads give them, keys, and who watches. */
import { DatabaseError } from 'pg';
import type { FieldValue } from '../../../../kinds/postgres/dialect/encode.ts';
import type { Shapes } from '../../../../kinds/postgres/dialect/rows.ts';
import type { Change, ChangesRequest } from '../../../../proto/changes.ts';
import { Unreadable } from '../../loss.ts';
import { type Relation, type RowChange, type Tuple, UNCHANGED } from './messages.ts';

/** A change without what its transaction says about it. */
type TableChange = Omit<Change, 'id' | 'time' | 'mark'>;

type Columns = Relation['columns'];

/** A table of the stream, with the names that watch it. */
export interface StreamedTable {
  readonly relation: Relation;
  /** Names of the columns that name a row. */
  readonly key: ReadonlySet<string>;
}

/** Names of the request by table: by schema and name, each for some operations. */
type Watchers = ReadonlyMap<string, ChangesRequest['collections']>;

/** The table's name in full. */
export function fullName({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}.${name}`;
}

/**
 * The change of a row; undefined where nobody watches that.
 * @throws Unreadable
 */
export function changeOf(
  { relation, key }: StreamedTable,
  change: RowChange,
  watchers: Watchers,
  shapes: Shapes,
): TableChange | undefined {
  const collection = fullName(relation);
  const watched = (watchers.get(collection) ?? [])
    .filter(({ operations }) => operations.includes(change.is))
    .map(({ name }) => name);
  if (watched.length === 0) return undefined;
  const writer = new RowText(relation.columns, shapes);
  const { old } = change;
  const values = change.values && filledIn(change.values, old);
  const identity = old?.values ?? values;
  const names = { collection, watched, operation: change.is };
  const isKey = (name: string) => key.has(name);
  const keyText = writer.text(values ?? old?.values ?? [], isKey);
  if (change.is === 'insert') {
    return { ...names, key: keyText, after: writer.text(values ?? []) };
  }
  const isWhole = old?.has === 'row';
  const before = isWhole
    ? writer.text(old.values)
    : writer.text(identity ?? [], (_, column) => column.isKey);
  const parts = { ...names, key: keyText, before, ...(isWhole ? {} : { keyOnly: true }) };
  if (values === undefined) return parts;
  const absent = relation.columns.filter((_, at) => values[at] === UNCHANGED);
  return {
    ...parts,
    after: writer.text(values, (_name, column) => !absent.includes(column)),
    ...(absent.length > 0 ? { absent: absent.map(({ name }) => name) } : {}),
  };
}

/** Values that lie apart from their row and did not change are those of the old row, where that is there. */
function filledIn(values: Tuple, old: RowChange['old']): Tuple {
  if (old === undefined) return values;
  return values.map((value, at) => {
    if (value !== UNCHANGED) return value;
    const before = old.values[at];
    return old.has === 'row' && before !== undefined ? before : value;
  });
}

class RowText {
  readonly #columns: Columns;
  readonly #shapes: Shapes;

  constructor(columns: Columns, shapes: Shapes) {
    this.#columns = columns;
    this.#shapes = shapes;
  }

  text(
    values: Tuple,
    takes: (name: string, column: Columns[number]) => boolean = () => true,
  ): Buffer {
    if (values.length !== this.#columns.length) throw new Unreadable('a row of other columns');
    const fields: Columns[number][] = [];
    const given: FieldValue[] = [];
    for (const [at, column] of this.#columns.entries()) {
      const value = values[at] ?? null;
      if (!takes(column.name, column)) continue;
      fields.push(column);
      given.push(value === UNCHANGED ? null : value);
    }
    const shape = this.#shapes.of(fields, { numbersAsStrings: false, rowFormat: 'object' });
    if (shape === undefined) throw new Error('types of columns that nobody asked for');
    return Buffer.from(shape.write(given));
  }
}

/** Whether the server no longer has what a reader asks for. */
export function isGone(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  const { code, message } = error;
  // The slot is gone, its log was given up, or that log was removed. Where a publication was not there when
  // something changed, servers before PostgreSQL 18 never come past that.
  return (
    (code === '42704' && /slot|publication/.test(message)) ||
    code === '58P01' ||
    (code === '55000' && /slot/.test(message))
  );
}
