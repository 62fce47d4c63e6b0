/** How a run is told: its record, its actions, and what changed of it. Spec: workflows.md §6. */
import type { Node, Ref } from '../engine/journal.ts';
import { toldCompensation } from './compensation.ts';
import type { ActionRecord, RunRecord, ValueRecord } from './head.ts';
import type { RunRow } from './journal.ts';
import type { Keeper } from './keeper.ts';
import type { ActionQuery } from './object.ts';
import { SEALED_BYTES } from './vault.ts';

/** Bytes of a value beyond which it is told by where it is. Spec: workflows.md §6. */
const TOLD_MAX = 64 * 1024;
/** Characters of values that are told at a time, about: who tells them holds the thread of all organizations. */
const TOLD_AT_ONCE = 1024 * 1024;
/** Actions that a record shows at first. Spec: workflows.md §6. */
const FIRST_MAX = 1000;

/** Times are Unix epoch milliseconds. */
export function recordOf(keeper: Keeper, row: RunRow): RunRecord {
  const { run, id, head, body, seq } = row;
  const told = (name: 'output' | 'error') => toldAs(keeper, run, name, body[name]);
  const compensation = toldCompensation(body);
  return {
    id,
    head,
    status: body.status,
    ...(body.key === undefined ? {} : { key: body.key }),
    ...(compensation === undefined ? {} : { compensation }),
    started: body.startedAt,
    ...(body.endedAt === 0 ? {} : { ended: body.endedAt }),
    input: toldOf(keeper, run, body.input),
    ...told('output'),
    ...told('error'),
    reached: keeper.reachedOf(run),
    seq,
  };
}

/** Some of the actions that were asked for. */
interface SomeActions {
  readonly actions: ActionRecord[];
  /** Whether there are more than were told, within the limit. */
  readonly hasMore: boolean;
}

/** Actions of a run in the order of their starts. */
export function actionsOf(
  keeper: Keeper,
  { run }: RunRow,
  typeOf: (action: string) => string,
  { path, status, after, limit, current = false, paths }: ActionQuery,
): SomeActions {
  const listed = paths ? JSON.stringify(paths) : null;
  const rows = keeper.sql.exec<{ body: string; seq: number }>(
    `SELECT body, seq FROM nodes WHERE run = ? AND begun > ?
      AND (? IS NULL OR path = ? OR (path >= ? || '.' AND path < ? || '/')
        OR (path >= ? || '[' AND path < ? || '\\'))
      AND (? IS NULL OR json_extract(body, '$.status') = ?)
      AND (? = 0 OR generation = 0)
      AND (? IS NULL OR path IN (SELECT value FROM json_each(?)))
      ORDER BY begun LIMIT ?`,
    run,
    after,
    ...Array.from({ length: 6 }, () => path ?? null),
    status ?? null,
    status ?? null,
    current ? 1 : 0,
    listed,
    listed,
    limit,
  );
  return someOf(rows.toArray(), (row) => actionOf(keeper, run, typeOf, row));
}

/** A run with its first actions, as JSON; of one that is in memory no row is read. */
export function wholeRecord(
  keeper: Keeper,
  row: RunRow,
  typeOf: (action: string) => string,
): string {
  const { run, seq } = row;
  const nodes = keeper.nodesOf(run);
  const some = nodes
    ? someOf(nodes, (node) => toldNode(keeper, run, typeOf, { node, seq }))
    : actionsOf(keeper, row, typeOf, { after: 0, limit: FIRST_MAX + 1 });
  return JSON.stringify({ record: recordOf(keeper, row), ...some });
}

/** Actions that changed after a place, the earliest change first. */
export function changedActions(
  keeper: Keeper,
  { run }: RunRow,
  typeOf: (action: string) => string,
  after: number,
  limit: number,
): SomeActions {
  const rows = keeper.sql.exec<{ body: string; seq: number }>(
    'SELECT body, seq FROM nodes WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?',
    run,
    after,
    limit,
  );
  return someOf(rows.toArray(), (row) => actionOf(keeper, run, typeOf, row));
}

/** As many as are told at a time; at least one. */
function someOf<Row>(rows: readonly Row[], read: (row: Row) => ActionRecord): SomeActions {
  const actions: ActionRecord[] = [];
  let left = TOLD_AT_ONCE;
  for (const row of rows) {
    if (left <= 0) break;
    const action = read(row);
    actions.push(action);
    for (const value of [action.input, action.output, action.error]) {
      if (value && 'text' in value) left -= value.text.length;
    }
  }
  return { actions, hasMore: actions.length < rows.length };
}

function actionOf(
  keeper: Keeper,
  run: number,
  typeOf: (action: string) => string,
  { body, seq }: { readonly body: string; readonly seq: number },
): ActionRecord {
  return toldNode(keeper, run, typeOf, { node: JSON.parse(body) as Node, seq }); // As the journal wrote it.
}

function toldNode(
  keeper: Keeper,
  run: number,
  typeOf: (action: string) => string,
  { node, seq }: { readonly node: Node; readonly seq: number },
): ActionRecord {
  const told = (name: 'input' | 'output' | 'error') => toldAs(keeper, run, name, node[name]);
  return {
    id: node.action,
    path: node.path,
    type: typeOf(node.action),
    status: node.status,
    attempts: attemptsOf(node),
    ...told('input'),
    ...told('output'),
    ...told('error'),
    started: node.startedAt,
    ...(node.endedAt === 0 ? {} : { ended: node.endedAt }),
    ...(node.by === undefined ? {} : { by: node.by }),
    ...(node.role === 'compensation' ? { compensates: node.owner } : {}),
    begun: node.begun,
    seq,
  };
}

/** Those that failed, and the one that did not or is under way. */
function attemptsOf(node: Node): ActionRecord['attempts'] {
  const failed = node.tried.map(({ started, ended, code, message }) => ({
    started,
    ended,
    error: { code, message },
  }));
  if (node.attempts <= failed.length && node.status !== 'succeeded') return failed;
  if (node.attempts <= failed.length && failed.length > 0) return failed;
  const last = { started: node.attemptAt };
  return [...failed, node.endedAt === 0 ? last : { ...last, ended: node.endedAt }];
}

function toldAs<Name extends string>(
  keeper: Keeper,
  run: number,
  name: Name,
  ref: Ref | undefined,
): { readonly [Member in Name]?: ValueRecord } {
  if (ref === undefined) return {};
  return { [name]: toldOf(keeper, run, ref) } as { readonly [Member in Name]: ValueRecord };
}

function toldOf({ vault }: Keeper, run: number, ref: Ref): ValueRecord {
  const bytes = vault.sizeOf(run, ref) - SEALED_BYTES;
  return bytes > TOLD_MAX ? { ref, bytes } : { ref, text: vault.text(run, ref) };
}
