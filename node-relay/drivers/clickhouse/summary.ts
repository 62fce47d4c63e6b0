/** What the server says a statement cost it, in a header of its reply. */
import type { IncomingMessage } from 'node:http';
import * as z from 'zod';

const Count = z.coerce.number().catch(0);
const Summary = z.object({
  read_rows: Count,
  read_bytes: Count,
  written_rows: Count,
  elapsed_ns: z.coerce.number().positive().optional().catch(undefined),
});

/** Figures of a statement that has ended. */
interface Cost {
  readonly statistics: {
    readonly elapsed: number;
    readonly rows_read: number;
    readonly bytes_read: number;
  };
  /** Rows that were written. */
  readonly written: number;
}

/**
 * The figures of a reply.
 * @param milliseconds from the request to the reply's end, for servers that do not tell the time
 */
export function summaryOf(reply: IncomingMessage, milliseconds: number): Cost {
  const { read_rows, read_bytes, written_rows, elapsed_ns } = Summary.parse(parsed(reply));
  const elapsed = elapsed_ns === undefined ? milliseconds / 1e3 : elapsed_ns / 1e9;
  return {
    statistics: { elapsed, rows_read: read_rows, bytes_read: read_bytes },
    written: written_rows,
  };
}

function parsed(reply: IncomingMessage): unknown {
  const header = reply.headers['x-clickhouse-summary'];
  try {
    return JSON.parse(typeof header === 'string' ? header : '{}');
  } catch {
    return {};
  }
}
