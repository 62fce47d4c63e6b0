/** Makes changes of rows as the log reports them, for those who watch their tables. Spec: workflows.md §5, `dataChange`. */
import type { TableName } from '../../../../kinds/allow.ts';
import type { Change, ChangeFault } from '../../../../proto/changes.ts';
import type { LoggedTable, LookedUp } from './columns.ts';
import type { Row } from './rows.ts';

/** A row that changed: what it is, and of an update what it became. */
export interface RowChange {
  readonly table: LoggedTable;
  readonly operation: Change['operation'];
  readonly row: Row;
  readonly then: Row | undefined;
}

/** What a change says about its row. */
interface RowTexts extends Pick<Change, 'watched' | 'key' | 'before' | 'after'> {
  readonly bytes: number;
}

/** Names of the request that watch a table. */
function watching(looked: readonly LookedUp[], { schema, name }: TableName) {
  return looked.flatMap((each) =>
    'table' in each && each.table.schema === schema && each.table.name === name
      ? [each.watched]
      : [],
  );
}

/** What is wrong with changes of a table, for each that watches it. */
export function tableFaults(
  looked: readonly LookedUp[],
  table: TableName,
  what: string,
): ChangeFault[] {
  return watching(looked, table).map(({ name }) => ({ watched: name, message: `${name} ${what}` }));
}

/** What is told of a row; undefined where nobody watches that. */
export function textsOf(
  looked: readonly LookedUp[],
  { table, operation, row, then }: RowChange,
): RowTexts | undefined {
  const watched = watching(looked, table)
    .filter(({ operations }) => operations.includes(operation))
    .map(({ name }) => name);
  if (watched.length === 0) return undefined;
  const { columns } = table;
  const text = (values: Row, takes = (_: number) => true) =>
    Buffer.from(
      `{${columns
        .flatMap(({ name }, at) => (takes(at) ? [`${JSON.stringify(name)}:${values[at]}`] : []))
        .join(',')}}`,
    );
  const key = text(then ?? row, (at) => columns[at]?.isKey === true);
  const after = operation === 'delete' ? undefined : text(then ?? row);
  const before = operation === 'insert' ? undefined : text(row);
  const bytes = key.length + (after?.length ?? 0) + (before?.length ?? 0);
  return { watched, key, bytes, ...(before && { before }), ...(after && { after }) };
}
