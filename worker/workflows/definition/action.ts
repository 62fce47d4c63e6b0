/** Reads actions: what all have in common, and by their types the rest. Spec: workflows.md §1, §3. */
import { isJsonObject, type Json } from '../../../proto/json.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import {
  type ActionSource,
  type Draft,
  type DraftContext,
  type Drafts,
  type List,
  link,
  targetOf,
} from './draft.ts';
import { COST, compiled } from './expression.ts';
import { ACTION_ID, ACTION_ID_FORM, ACTIONS_MAX } from './ids.ts';
import { Members } from './members.ts';
import { placeInAction } from './places.ts';
import type { Action, Common, Handler, Next } from './tree.ts';
import { ACTION_TYPES } from './type-names.ts';
import { readerOf } from './types.ts';
import { readValue } from './value.ts';

/** Members of every action. */
const COMMON = ['id', 'type', 'name', 'input', 'next', 'output', 'idempotencyKey', 'compensation'];
/** Handlers are resolved when all actions are known. */
const UNHANDLED: Handler = {
  retry: undefined,
  fallback: undefined,
  route: undefined,
  escalation: undefined,
};

/** Reads an action, or a list of them; a list is a graph if any of them has `after`. */
export function* readList(
  drafts: Drafts,
  written: ActionSource,
): Pieces<readonly Action[] | undefined> {
  const { json, where, place } = written;
  if (!Array.isArray(json)) {
    const one = yield* readOne(drafts, written);
    return one && [one];
  }
  if (json.length === 0) {
    drafts.report.add(where, 'must have at least one action');
    return undefined;
  }
  const isGraph = json.some((each) => isJsonObject(each) && Object.hasOwn(each, 'after'));
  const actions: Draft[] = [];
  const list: List = { where, place, isGraph, actions, links: new Map() };
  drafts.lists.push(list);
  const whole: Action[] = [];
  for (const [index, each] of json.entries()) {
    const at = { json: each, where: `${where}.${index}`, place };
    const action = yield* readAction(drafts, at, { list, actions });
    if (action !== undefined) whole.push(action);
  }
  return whole.length === json.length ? whole : undefined;
}

/** Reads an action that is alone. */
export function* readOne(drafts: Drafts, written: ActionSource): Pieces<Action | undefined> {
  const { where, place, json } = written;
  if (Array.isArray(json)) {
    drafts.report.add(where, 'must be one action, and is a list');
    return undefined;
  }
  const actions: Draft[] = [];
  const list: List = { where, place, isGraph: false, actions, links: new Map() };
  drafts.lists.push(list);
  return yield* readAction(drafts, written, { list, actions });
}

function* readAction(
  drafts: Drafts,
  { json, where, place, id: derived }: ActionSource,
  { list, actions }: { readonly list: List; readonly actions: Draft[] },
): Pieces<Action | undefined> {
  const { report } = drafts;
  if (drafts.pace.isOver(COST.action)) yield;
  if (!isJsonObject(json)) {
    report.add(where, 'must be an object, an action');
    return undefined;
  }
  const members = new Members(json, where, report);
  const draft: Draft = { ...EMPTY, where, place, id: idOf(drafts, members, derived) };
  drafts.byId.set(draft.id, draft);
  actions.push(draft);
  const around: DraftContext = { drafts, members, draft, list };
  const before = report.faults.length;
  yield* readCommon(around);
  const type = members.has('type')
    ? members.chosen('type', ACTION_TYPES)
    : members.fault('type', `is required: ${ACTION_TYPES.join(', ')}`);
  if (type === undefined) return undefined;
  if (list.isGraph && type === 'condition') {
    members.fault('type', '"condition" is not allowed in a graph: its actions begin by after');
  }
  const { members: own, read } = readerOf(type);
  members.refuseOthers(
    [...COMMON, ...(list.isGraph ? ['after'] : []), ...own],
    `an action of type ${type}`,
    placeInAction(ACTION_ID.test(draft.id) ? draft.id : '<id>', type),
  );
  const rest = yield* read(around);
  if (rest === undefined || report.faults.length > before) return undefined;
  // The members of its type make the draft whole.
  return Object.assign(draft, { type }, rest) as unknown as Action;
}

/** An action that nothing is known about yet. */
export const EMPTY: Common = {
  id: '',
  where: '',
  name: undefined,
  next: { to: null },
  after: undefined,
  input: undefined,
  output: undefined,
  timeoutMs: undefined,
  idempotencyKey: undefined,
  compensation: undefined,
  handler: UNHANDLED,
  place: { in: 'workflow' },
};

/** The id of an action; where it has none that it can have, with a fault, one that no definition can name. */
function idOf({ report, byId }: Drafts, members: Members, derived: string | undefined): string {
  const id = derived !== undefined && !members.has('id') ? derived : members.needText('id');
  const unnamed = `?${members.path}`;
  if (id === undefined) return unnamed;
  if (!ACTION_ID.test(id)) {
    members.fault('id', ACTION_ID_FORM);
    return unnamed;
  }
  const other = byId.get(id);
  if (other === undefined) return id;
  report.add(members.at('id'), `is the id of another action: ${other.where}`);
  return unnamed;
}

function* readCommon(around: DraftContext): Pieces<void> {
  const { drafts, members, draft, list } = around;
  const before = { root: 'run', action: draft, when: 'before' } as const;
  draft.name = members.text('name');
  const { input, output } = { input: members.get('input'), output: members.get('output') };
  // What an endpoint is sent is read as a request.
  if (input !== undefined && members.get('type') !== 'endpoint') {
    draft.input = yield* readValue(drafts, input, members.at('input'), before);
  }
  if (output !== undefined) {
    const stand = { ...before, extra: 'output' } as const;
    draft.output = yield* readValue(drafts, output, members.at('output'), stand);
  }
  const key = members.text('idempotencyKey');
  if (key !== undefined) {
    const at = { where: members.at('idempotencyKey'), stand: before };
    draft.idempotencyKey = compiled(drafts, key, at);
  }
  if (list.isGraph) readAfter(around);
  else draft.next = readNext(around);
  yield* readCompensation(around);
}

function* readCompensation({ drafts, members, draft }: DraftContext): Pieces<void> {
  const json = members.given('compensation');
  if (json === undefined) return;
  const { in: part } = draft.place;
  if (part === 'compensation' || part === 'escalation') {
    members.fault(
      'compensation',
      `is not allowed on ${AN[part]}: only what a run did is compensated`,
    );
    return;
  }
  const where = members.at('compensation');
  const place = { in: 'compensation', of: draft.id } as const;
  draft.compensation = yield* drafts.readOne({ json, where, place });
}

const AN = { compensation: 'a compensation', escalation: 'an escalation' };

/** Ids after which an action of a graph begins. */
function readAfter(around: DraftContext): void {
  const { members, draft } = around;
  if (members.given('next') !== undefined) {
    members.fault('next', 'is not allowed in a graph: its actions begin by after');
  }
  const after = members.texts('after') ?? [];
  if (after.length > ACTIONS_MAX) {
    members.fault('after', `must have at most ${ACTIONS_MAX} ids`);
    return;
  }
  draft.after = [...new Set(after)];
  for (const [index, id] of after.entries()) link(around, id, `${members.at('after')}.${index}`);
}

function readNext(around: DraftContext): Next {
  const { members } = around;
  const json = members.given('next');
  if (members.get('type') === 'condition') {
    if (json !== undefined)
      members.fault('next', 'is not allowed on a condition: it goes on by true and false');
    return { to: null };
  }
  if (isJsonObject(json)) return readChoice(around, json);
  return { to: targetOf(around, members, 'next') };
}

function readChoice(around: DraftContext, json: Json & object): Next {
  const { drafts, members, draft } = around;
  const choice = members.members('next');
  if (choice === undefined || !isJsonObject(json)) return { to: null };
  choice.refuseOthers(['condition', 'true', 'false'], 'next');
  const source = choice.needText('condition');
  const stand = { root: 'run', action: draft, when: 'after' } as const;
  const where = choice.at('condition');
  const condition = source === undefined ? undefined : compiled(drafts, source, { where, stand });
  const ways = {
    true: targetOf(around, choice, 'true'),
    false: targetOf(around, choice, 'false'),
  };
  return condition === undefined ? { to: null } : { condition, ...ways };
}
