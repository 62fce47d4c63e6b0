/** What a session has run that may have kept something, as its server counts statements: those inside of procedures, too. */
import { ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import type { Connection } from './connection.ts';

/** How often statements of each sort have run in a session. */
export type Counts = ReadonlyMap<string, number>;

const PREFIX = 'Com_';
const ROLLBACKS = 'Handler_rollback';
const QUESTION = `SHOW SESSION STATUS WHERE (Variable_name LIKE 'Com!_%' ESCAPE '!' OR Variable_name = '${ROLLBACKS}') AND Value > 0`;

/** How often MariaDB 10.11 counts the one deadlock that ends a statement. Where a procedure goes on behind one, what it changes then may be kept. */
const OF_ONE_DEADLOCK = 3;

/** Sorts that neither end a transaction nor follow an error. What statements that are made of texts run is counted by itself. */
const HARMLESS = new Set([
  ...['select', 'insert', 'insert_select', 'update', 'update_multi', 'delete', 'delete_multi'],
  ...['replace', 'replace_select', 'do', 'call_procedure', 'get_diagnostics', 'empty_query'],
  ...['savepoint', 'release_savepoint', 'rollback_to_savepoint', 'compound_sql'],
  ...['create_temporary_table', 'drop_temporary_table', 'execute_immediate', 'execute_sql'],
  ...['prepare_sql', 'dealloc_sql', 'stmt_prepare', 'stmt_reprepare', 'stmt_execute', 'stmt_close'],
  ...['stmt_fetch', 'stmt_reset', 'stmt_send_long_data'],
]);

/** Undefined where the server does not say. */
export async function countsOf(connection: Connection): Promise<Counts | undefined> {
  try {
    const rows = await connection.texts(QUESTION);
    return new Map(rows.map(([name = '', count]) => [name, Number(count)]));
  } catch (error) {
    if (error instanceof ServerError) return undefined;
    throw error;
  }
}

/**
 * Whether what has run may have kept something, if the server has undone a transaction in the end. What is not known may.
 * @param sets how many settings are the driver's own
 */
export function mayHaveKept(
  before: Counts | undefined,
  after: Counts | undefined,
  sets: number,
): boolean {
  return someRose(before, after, (name, times) => {
    if (name === ROLLBACKS) return times > OF_ONE_DEADLOCK;
    const sort = name.slice(PREFIX.length);
    if (sort === 'set_option') return times > sets;
    return !HARMLESS.has(sort) && !sort.startsWith('show_');
  });
}

/** Whether a statement of those that end XA transactions has run: nothing else does. What is not known may have. */
export function mayHaveEndedXa(before: Counts | undefined, after: Counts | undefined): boolean {
  return someRose(before, after, (name) => name.startsWith(`${PREFIX}xa_`));
}

function someRose(
  before: Counts | undefined,
  after: Counts | undefined,
  matters: (name: string, times: number) => boolean,
): boolean {
  if (before === undefined || after === undefined) return true;
  // FLUSH STATUS begins anew.
  if ([...before].some(([name, count]) => count > (after.get(name) ?? 0))) return true;
  return [...after].some(([name, count]) => {
    const times = count - (before.get(name) ?? 0);
    return times > 0 && matters(name, times);
  });
}
