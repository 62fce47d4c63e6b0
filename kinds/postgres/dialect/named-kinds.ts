/** Which statements are read for what they name, and where those that change the schema keep their names. */
import { isTree, strings, type Tree } from './tree.ts';

/** A relation as a statement names it. */
export interface NamedRelation {
  /** null where it is looked up along the session's schemas. */
  readonly schema: string | null;
  readonly name: string;
  /**
   * `made` may be made in the default schema; `type` counts only where there is a relation of that name, or where it
   * is the array type of a relation's rows.
   */
  readonly as?: 'made' | 'type';
}

/** Takes names down. */
export interface NameTaker {
  readonly schemas: string[];
  /** Notes a relation by the parts of its name. */
  name(parts: readonly string[], as?: NamedRelation['as']): void;
}

/** All that these name stands in their tree: relations, and what `DDL` finds. */
const TAKEN: ReadonlySet<string> = new Set([
  'AlterObjectSchemaStmt',
  'AlterSeqStmt',
  'AlterTableStmt',
  'ClosePortalStmt',
  'ConstraintsSetStmt',
  'CopyStmt',
  'CreateSchemaStmt',
  'CreateSeqStmt',
  'CreateStmt',
  'CreateTableAsStmt',
  'DeallocateStmt',
  'DeclareCursorStmt',
  'DeleteStmt',
  'DiscardStmt',
  'DropStmt',
  'ExplainStmt',
  'FetchStmt',
  'IndexStmt',
  'InsertStmt',
  'LockStmt',
  'MergeStmt',
  'RefreshMatViewStmt',
  'ReindexStmt',
  'RenameStmt',
  'SelectStmt',
  'TransactionStmt',
  'TruncateStmt',
  'UnlistenStmt',
  'UpdateStmt',
  'VacuumStmt',
  'VariableSetStmt',
  'VariableShowStmt',
  'ViewStmt',
]);

/** Settings that change nothing of what names mean. Beside them those with a dot, which are users' own. */
const SETTINGS: ReadonlySet<string> = new Set([
  'application_name',
  'bytea_output',
  'constraint_exclusion',
  'cursor_tuple_fraction',
  'datestyle',
  'extra_float_digits',
  'from_collapse_limit',
  'hash_mem_multiplier',
  'idle_in_transaction_session_timeout',
  'intervalstyle',
  'jit',
  'join_collapse_limit',
  'lock_timeout',
  'maintenance_work_mem',
  'max_parallel_workers_per_gather',
  'plan_cache_mode',
  'random_page_cost',
  'seq_page_cost',
  'session characteristics',
  'statement_timeout',
  'synchronous_commit',
  'timezone',
  'transaction',
  'transaction_isolation',
  'transaction_timeout',
  'work_mem',
]);

/** Whether a statement of that kind is read. */
export function isTaken(kind: string, tree: Tree): boolean {
  if (!TAKEN.has(kind)) return false;
  switch (kind) {
    case 'VariableSetStmt':
      return isHarmlessSetting(tree);
    case 'CopyStmt':
      return tree.filename === undefined && tree.is_program !== true;
    case 'VacuumStmt':
      return Array.isArray(tree.rels) && tree.rels.length > 0;
    case 'ReindexStmt':
      return tree.relation !== undefined;
    case 'CreateSchemaStmt':
      return typeof tree.schemaname === 'string' && tree.schemaElts === undefined;
    case 'RenameStmt':
      return RENAMED.has(String(tree.renameType));
    case 'AlterObjectSchemaStmt':
      return RELATIONS.has(String(tree.objectType)) && tree.relation !== undefined;
    case 'AlterTableStmt':
      return RELATIONS.has(String(tree.objtype)) && !changesOptions(tree.cmds);
    case 'DropStmt':
      return tree.removeType === 'OBJECT_SCHEMA' || RELATIONS.has(String(tree.removeType));
    default:
      return true;
  }
}

/** Options of a foreign table say which table it is, those of its columns which columns. */
function changesOptions(commands: unknown): boolean {
  return (Array.isArray(commands) ? commands : []).some((each: unknown) => {
    const command = isTree(each) && isTree(each.AlterTableCmd) ? each.AlterTableCmd : undefined;
    return /GenericOptions$/.test(String(command?.subtype)) || hasOptions(command?.def);
  });
}

/** Of a column that is added. */
function hasOptions(definition: unknown): boolean {
  return (
    isTree(definition) &&
    isTree(definition.ColumnDef) &&
    definition.ColumnDef.fdwoptions !== undefined
  );
}

const RELATIONS: ReadonlySet<string> = new Set([
  'OBJECT_FOREIGN_TABLE',
  'OBJECT_INDEX',
  'OBJECT_MATVIEW',
  'OBJECT_SEQUENCE',
  'OBJECT_TABLE',
  'OBJECT_VIEW',
]);
const RENAMED: ReadonlySet<string> = new Set([
  ...RELATIONS,
  'OBJECT_COLUMN',
  'OBJECT_SCHEMA',
  'OBJECT_TABCONSTRAINT',
]);

function isHarmlessSetting({ kind, name }: Tree): boolean {
  if (kind === 'VAR_RESET_ALL' || typeof name !== 'string') return false;
  const setting = name.toLowerCase();
  return setting.includes('.') || /^enable_\w+$/.test(setting) || SETTINGS.has(setting);
}

/** Names that are no relation's node, by the kind of statement. */
export const DDL: { readonly [kind: string]: (tree: Tree, walk: NameTaker) => void } = {
  CreateStmt: ({ relation }, walk) => made(relation, walk),
  CreateSeqStmt: ({ sequence }, walk) => made(sequence, walk),
  ViewStmt: ({ view }, walk) => made(view, walk),
  CreateSchemaStmt: ({ schemaname }, walk) => walk.schemas.push(String(schemaname)),
  DropStmt: dropped,
  RenameStmt: renamed,
  AlterObjectSchemaStmt({ relation, newschema }, walk) {
    if (isTree(relation)) walk.name([String(newschema), String(relation.relname)]);
  },
};

/** Notes what is made without a schema: it is made in the default one, whatever there is of its name elsewhere. */
export function made(relation: unknown, walk: NameTaker): void {
  if (!isTree(relation) || typeof relation.relname !== 'string') return;
  if (relation.schemaname === undefined) walk.name([relation.relname], 'made');
}

function dropped({ objects, removeType }: Tree, walk: NameTaker): void {
  for (const object of Array.isArray(objects) ? objects : []) {
    if (!isTree(object)) continue;
    if (removeType === 'OBJECT_SCHEMA') walk.schemas.push(...strings([object]));
    else walk.name(isTree(object.List) ? strings(object.List.items) : []);
  }
}

function renamed({ renameType, relation, newname, subname }: Tree, walk: NameTaker): void {
  if (renameType === 'OBJECT_SCHEMA') walk.schemas.push(String(subname), String(newname));
  if (!RELATIONS.has(String(renameType)) || !isTree(relation)) return;
  const { schemaname } = relation;
  const schema = typeof schemaname === 'string' ? [schemaname] : [];
  walk.name([...schema, String(newname)], 'made');
}
