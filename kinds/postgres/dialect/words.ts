/** Statements in SQL's own words. */
import { isTree, type Tree } from './tree.ts';

const NAMES: { readonly [kind: string]: string } = {
  InsertStmt: 'INSERT',
  UpdateStmt: 'UPDATE',
  DeleteStmt: 'DELETE',
  MergeStmt: 'MERGE',
  CopyStmt: 'COPY',
  DoStmt: 'DO',
  CallStmt: 'CALL',
  VariableSetStmt: 'SET',
  LockStmt: 'LOCK',
  LoadStmt: 'LOAD',
  NotifyStmt: 'NOTIFY',
  ExecuteStmt: 'EXECUTE',
  CreateStmt: 'CREATE TABLE',
  IndexStmt: 'CREATE INDEX',
  ViewStmt: 'CREATE VIEW',
  RuleStmt: 'CREATE RULE',
  CreateTrigStmt: 'CREATE TRIGGER',
  CreateStatsStmt: 'CREATE STATISTICS',
  CreateSeqStmt: 'CREATE SEQUENCE',
  CreateTableAsStmt: 'CREATE TABLE AS',
  CreatedbStmt: 'CREATE DATABASE',
  DropdbStmt: 'DROP DATABASE',
  CreateEnumStmt: 'CREATE TYPE',
  CreateRangeStmt: 'CREATE TYPE',
  CompositeTypeStmt: 'CREATE TYPE',
  AlterSeqStmt: 'ALTER SEQUENCE',
  GrantRoleStmt: 'GRANT',
  CheckPointStmt: 'CHECKPOINT',
  RefreshMatViewStmt: 'REFRESH MATERIALIZED VIEW',
  SecLabelStmt: 'SECURITY LABEL',
};

/** A kind of statement in SQL's own words, as near as the parser's name of it is. */
export function wordsOf(kind: string, tree: Tree): string {
  if (kind === 'ExplainStmt' && isTree(tree.query)) {
    const [[inner = '', query] = []] = Object.entries(tree.query);
    return `EXPLAIN of ${wordsOf(inner, isTree(query) ? query : {})}`;
  }
  if (kind === 'VacuumStmt') return tree.is_vacuumcmd === true ? 'VACUUM' : 'ANALYZE';
  const spaced = kind.replace(/Stmt$/, '').replace(/([a-z])(?=[A-Z])/g, '$1 ');
  return NAMES[kind] ?? spaced.toUpperCase();
}
