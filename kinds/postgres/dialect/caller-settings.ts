/**
 * Who calls, as settings of one transaction that policies, triggers and statements can read; and
 * which statements could set them. Spec: keys-and-doors.md §3.
 */
import type { SessionSettings } from '../../../proto/driver.ts';
import { mayNotSet } from '../../refusals.ts';
import type { Statement } from './ask.ts';
import type { Parsed } from './statement.ts';

/**
 * Statements that set nothing by themselves; what they call is looked at besides that. Any other one,
 * such as SET, DO, CALL and all that changes the schema, may.
 */
const SETS_NOTHING = new Set([
  'SelectStmt',
  'InsertStmt',
  'UpdateStmt',
  'DeleteStmt',
  'MergeStmt',
  'ExplainStmt',
  'CopyStmt',
  'VariableShowStmt',
  'TransactionStmt',
  'DeclareCursorStmt',
  'FetchStmt',
  'ClosePortalStmt',
  'PrepareStmt',
  'ExecuteStmt',
  'DeallocateStmt',
  'ListenStmt',
  'UnlistenStmt',
  'NotifyStmt',
  'LockStmt',
]);

/** What EXPLAIN may run besides queries: with ANALYZE it makes what it explains. */
const EXPLAINED = /^EXPLAIN of (?:INSERT|UPDATE|DELETE|MERGE|EXECUTE|DECLARE CURSOR)$/;

/** Of the server's own, whose rules set. */
function isCatalogs({ schema, name }: { readonly schema: string | null; readonly name: string }) {
  return schema === 'pg_catalog' || name === 'pg_settings';
}

/** Statements that the server does not take inside a transaction, in some of their forms at least. */
const ALONE = new Set([
  'AlterSystemStmt',
  'AlterDatabaseStmt',
  'AlterEnumStmt',
  'AlterSubscriptionStmt',
  'ClusterStmt',
  'CreateSubscriptionStmt',
  'CreateTableSpaceStmt',
  'CreatedbStmt',
  'DiscardStmt',
  'DropSubscriptionStmt',
  'DropTableSpaceStmt',
  'DropdbStmt',
  'IndexStmt',
  'ReindexStmt',
  'RepackStmt',
  'VacuumStmt',
]);

/**
 * Names mean under the role what they mean to the credential, as the guard reads them: `$user` of the search path
 * would be another schema.
 */
const PINNED_PATH = `pg_catalog.set_config('search_path', coalesce((SELECT pg_catalog.string_agg(pg_catalog.quote_ident(s), ', ')
  FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) s), ''), true)`;

/**
 * The statement that sets them for the rest of a transaction; none ahead of what begins or ends one, or cannot be in one.
 * @param parsed undefined where this parser cannot read it
 */
export function settingStatements(
  session: SessionSettings | undefined,
  parsed: Parsed | undefined,
): readonly Statement[] {
  if (session === undefined) return NONE;
  if (parsed && (parsed.kind === 'TransactionStmt' || ALONE.has(parsed.kind))) return NONE;
  return [settingStatement(session)];
}

const NONE: readonly Statement[] = [];

/** How the guard reads texts, whatever a statement before has set. */
const READ_AS_GUARD = "pg_catalog.set_config('standard_conforming_strings', 'on', true)";

/** Sets them for the rest of a transaction; the role comes last. */
function settingStatement({ settings, role }: SessionSettings): Statement {
  const calls = [READ_AS_GUARD, ...settings.map((_, at) => set(2 * at + 1))];
  const values = settings.flat();
  if (role === undefined) return { text: `SELECT ${calls.join(', ')}`, values };
  const all = [...calls, PINNED_PATH, set(values.length + 1)];
  return { text: `SELECT ${all.join(', ')}`, values: [...values, 'role', role] };
}

function set(at: number): string {
  return `pg_catalog.set_config($${at}, $${at + 1}, true)`;
}

/** The credential's own role again, which alone can end what it prepares. */
export const OWN_ROLE: Statement = { text: "SELECT pg_catalog.set_config('role', 'none', true)" };

/**
 * Refuses a statement that could set by itself what is told of its caller.
 * @param parsed undefined where this parser cannot read it
 * @throws GatewayError FORBIDDEN
 */
export function demandSetsNothing(parsed: Parsed | undefined): void {
  if (parsed === undefined) throw mayNotSet('A statement that the gateway cannot read');
  const { kind, plain, unreadable, references } = parsed;
  const isQuery = kind === 'SelectStmt' || kind === 'InsertStmt' || kind === 'UpdateStmt';
  const isExplained =
    kind !== 'ExplainStmt' || unreadable === undefined || EXPLAINED.test(unreadable);
  // SELECT INTO makes a table, under EXPLAIN too. An update of pg_settings is a SET.
  const isTaken = SETS_NOTHING.has(kind) && (plain || !isQuery) && isExplained;
  if (isTaken && (unreadable === undefined || !references.relations.some(isCatalogs))) return;
  throw mayNotSet(unreadable ?? kind);
}
