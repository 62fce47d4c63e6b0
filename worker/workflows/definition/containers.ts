/** Actions that hold others: parallel, loop, dynamicAction. Spec: workflows.md §3. */
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { truncated } from '../../../proto/truncate.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import type { DraftContext, TypeReader } from './draft.ts';
import { COST, compiled } from './expression.ts';
import { ACTION_ID, ACTION_ID_FORM, LOOP_NAME, TAKEN_NAMES } from './ids.ts';
import { expressionOf } from './leaves.ts';
import { SHOWN } from './members.ts';
import type { Action, Expr } from './tree.ts';

/** Most branches of one action. Spec silent. */
const BRANCHES_MAX = 100;
/** Most elements of a loop at a time. */
const CONCURRENCY_MAX = 100;
const CONCURRENCY = 10;

/** An action whose branches all run. */
export const parallel: TypeReader<'parallel'> = {
  members: ['branches', 'joinResults', 'timeout'],
  *read({ drafts, members, draft }) {
    draft.timeoutMs = members.duration('timeout');
    const joinResults = members.flag('joinResults', false);
    const list = members.has('branches')
      ? members.list('branches')
      : members.fault('branches', 'is required');
    if (list === undefined) return undefined;
    if (list.length === 0 || list.length > BRANCHES_MAX) {
      members.fault('branches', `must have 1 to ${BRANCHES_MAX} branches`);
    }
    const branches: (readonly Action[])[] = [];
    for (const [branch, json] of list.entries()) {
      const where = `${members.at('branches')}.${branch}`;
      const place = { in: 'branch', of: draft.id, branch } as const;
      const read = yield* drafts.readList({ json, where, place });
      if (read !== undefined) branches.push(read);
    }
    return branches.length === list.length ? { branches, joinResults } : undefined;
  },
};

/** An action that repeats others for each element. */
export const loop: TypeReader<'loop'> = {
  members: [
    ...['collection', 'as', 'index', 'mode', 'maxConcurrency', 'action', 'aggregation'],
    ...['continueOnError', 'timeout'],
  ],
  *read(around) {
    const { drafts, members, draft } = around;
    draft.timeoutMs = members.duration('timeout');
    const collection = expressionOf(around, 'collection');
    const names = readNames(around);
    const mode = members.oneOf('mode', ['sequential', 'parallel'], 'sequential');
    const bounds = { min: 1, max: CONCURRENCY_MAX, isInteger: true };
    const given = members.number('maxConcurrency', bounds) ?? CONCURRENCY;
    const continueOnError = members.flag('continueOnError', false);
    const aggregation = yield* readAggregation(around);
    const json = members.get('action');
    if (json === undefined) return members.fault('action', 'is required');
    const where = members.at('action');
    const body = yield* drafts.readList({ json, where, place: { in: 'loop', of: draft.id } });
    if (collection === undefined || body === undefined) return undefined;
    const maxConcurrency = mode === 'sequential' ? 1 : given;
    return { collection, ...names, mode, maxConcurrency, body, aggregation, continueOnError };
  },
};

/** What the element and its position are called. */
function readNames({ drafts, members }: DraftContext): {
  readonly as: string;
  readonly index: string | undefined;
} {
  const as = members.text('as') ?? 'item';
  const index = members.text('index');
  for (const [member, name] of [
    ['as', as],
    ['index', index],
  ] as const) {
    if (name === undefined) continue;
    // What was stored before that was refused is still run.
    const isKept = name === 'output' && drafts.lookups.isStored === true;
    if (TAKEN_NAMES.includes(name) && !isKept)
      members.fault(member, `may not be one of ${TAKEN_NAMES.join(', ')}`);
    else if (!LOOP_NAME.test(name))
      members.fault(member, 'must be 1 to 64 letters, digits and _, and begin with no digit');
  }
  if (as === index) members.fault('index', `is the name of the element already: ${as}`);
  return { as, index };
}

function* readAggregation({
  drafts,
  members,
  draft,
}: DraftContext): Pieces<ReadonlyMap<string, Expr> | undefined> {
  const read = members.members('aggregation');
  if (read === undefined) return undefined;
  const stand = { root: 'run', action: draft, when: 'before', extra: 'results' } as const;
  const found = new Map<string, Expr>();
  for (const name of Object.keys(read.object)) {
    if (drafts.pace.isOver(COST.part)) yield;
    const source = read.needText(name);
    if (source === undefined) continue;
    const expr = compiled(drafts, source, { where: read.at(name), stand });
    if (expr !== undefined) found.set(name, expr);
  }
  return found;
}

/** An action that runs one of several. */
export const dynamicAction: TypeReader<'dynamicAction'> = {
  members: ['selection'],
  *read(around) {
    const { members } = around;
    const selection = members.has('selection')
      ? members.members('selection')
      : members.fault('selection', 'is required');
    if (selection === undefined) return undefined;
    selection.refuseOthers(['expression', 'options', 'default'], 'selection');
    const inner = { ...around, members: selection };
    const expression = expressionOf(inner, 'expression');
    const options = selection.has('options')
      ? selection.members('options')
      : selection.fault('options', 'is required');
    if (options === undefined) return undefined;
    const known = new Map<string, Action | undefined>();
    for (const [option, json] of Object.entries(options.object)) {
      known.set(option, yield* readOption(around, json, { option, where: options.at(option) }));
    }
    if (known.size === 0) selection.fault('options', 'must have at least one action');
    const otherwise = yield* readDefault(inner, known);
    const whole = new Map([...known].flatMap(([id, one]) => (one ? [[id, one] as const] : [])));
    return expression && whole.size === known.size
      ? { expression, options: whole, otherwise }
      : undefined;
  },
};

function* readOption(
  { drafts, draft }: DraftContext,
  json: Json,
  { option, where }: { readonly option: string; readonly where: string },
): Pieces<Action | undefined> {
  const needsId = isJsonObject(json) && !Object.hasOwn(json, 'id') && !ACTION_ID.test(option);
  if (needsId) {
    drafts.report.add(
      where,
      `is the id of its action, and ${ACTION_ID_FORM}; or give the action an id`,
    );
    return undefined;
  }
  const place = { in: 'option', of: draft.id, option } as const;
  return yield* drafts.readOne({ json, where, id: option, place });
}

/** The action that runs when none is chosen: one of its own, or one of the options by its key. */
function* readDefault(
  { drafts, members, draft }: DraftContext,
  options: ReadonlyMap<string, Action | undefined>,
): Pieces<Action | undefined> {
  const json = members.given('default');
  if (json === undefined) return undefined;
  const where = members.at('default');
  if (typeof json === 'string') {
    if (options.has(json)) return options.get(json);
    const shown = truncated(json, SHOWN);
    const hint = drafts.report.hint(shown, options.keys());
    return members.fault('default', `names no option: ${JSON.stringify(shown)}${hint}`);
  }
  const place = { in: 'option', of: draft.id, option: 'default' } as const;
  return yield* drafts.readOne({ json, where, id: idOfDefault(draft.id), place });
}

/** Of a default without id. */
function idOfDefault(id: string): string {
  return `${id.replaceAll(/[^\w-]/g, '_')}-default`.slice(-64);
}
