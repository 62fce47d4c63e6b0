/** What no SQL answer may be, whatever the server has said. */
import type { KindCall } from './kind.ts';

/** Rows hold the columns that the answer names, and as many are told as there are. */
export function sqlFault({ method }: KindCall, values: readonly unknown[]): string | undefined {
  if (method === 'stream') {
    const lines = new Set(values.map((row) => Object.keys(row as object).join()));
    return lines.size > 1 ? 'lines of several shapes' : undefined;
  }
  return resultsOf(values[0])
    .map(resultFault)
    .find((fault) => fault !== undefined);
}

interface Result {
  readonly columns: readonly { readonly name: string }[];
  readonly rows: readonly object[];
  readonly row_count: number;
}

/** None of what answers no rows. */
function resultsOf(value: unknown): readonly Result[] {
  const { results, rows } = value as { results?: readonly Result[]; rows?: unknown };
  if (results) return results;
  return rows ? [value as Result] : [];
}

function resultFault({ columns, rows, row_count }: Result): string | undefined {
  if (row_count !== rows.length) return `row_count ${row_count} of ${rows.length}`;
  const names = [...new Set(columns.map(({ name }) => name))].sort().join();
  const other = rows.find((row) => Object.keys(row).sort().join() !== names);
  return other ? 'a row without the columns' : undefined;
}
