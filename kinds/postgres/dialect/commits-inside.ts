/** Which statements commit by themselves before their end. Source: PostgreSQL manual, "Transaction Management" of PL/pgSQL, `PreventInTransactionBlock`. */
import { isTree, type Tree } from './tree.ts';

/** Those that run procedures, and those that work in several transactions. */
const ALWAYS = new Set([
  'AlterDatabaseStmt',
  'AlterSubscriptionStmt',
  'AlterSystemStmt',
  'CallStmt',
  'ClusterStmt',
  'CreateSubscriptionStmt',
  'CreateTableSpaceStmt',
  'CreatedbStmt',
  'DoStmt',
  'DropSubscriptionStmt',
  'DropTableSpaceStmt',
  'DropdbStmt',
  'ReindexStmt',
  'VacuumStmt',
]);
/** Of a text that is not parsed: what it begins with where it changes rows, all of them or none. */
const ROWS = /^\s*(?:insert|update|delete|merge|select|with|values|table)\b/i;

/** Whether a statement may, outside of a transaction. @param kind the parser's name of it */
export function commitsInside(kind: string, tree: Tree): boolean {
  if (ALWAYS.has(kind) || tree.concurrent === true) return true;
  return kind === 'AlterTableStmt' && detaches(tree.cmds);
}

/** The same of a text that the parser does not read. */
export function mayCommitInside(text: string): boolean {
  return !ROWS.test(text);
}

/** DETACH PARTITION … CONCURRENTLY. */
function detaches(commands: unknown): boolean {
  if (!Array.isArray(commands)) return false;
  return commands.some((each: unknown) => {
    const command = isTree(each) ? each.AlterTableCmd : undefined;
    const definition = isTree(command) ? command.def : undefined;
    const partition = isTree(definition) ? definition.PartitionCmd : undefined;
    return isTree(partition) && partition.concurrent === true;
  });
}
