/** From a definition to the tree that the engine runs, or to everything that is wrong with it. Spec: workflows.md §1 to §5. */
import { isJsonObject, type JsonObject } from '../../../proto/json.ts';
import { IN_OUR_WORDS } from '../../../proto/schema-faults.ts';
import { Pace, type Pieces, whole } from '../../../proto/work/pieces.ts';
import { compileInPieces } from '../../language/schemas/compile.ts';
import { ChosenId } from '../../shapes/ids.ts';
import { Description, Name, VersionName } from '../../templates/schema.ts';
import { Report } from '../../templates/transformation/report.ts';
import { readList, readOne } from './action.ts';
import type { Drafts, Lookups } from './draft.ts';
import { COST, compiled } from './expression.ts';
import type { Fault, Reference } from './findings.ts';
import { readHandlers } from './handlers.ts';
import { ACTIONS_MAX } from './ids.ts';
import { Members } from './members.ts';
import { placeBesideActions } from './places.ts';
import { resolveHandlers } from './resolve.ts';
import { Structure } from './structure.ts';
import type { Action, Expr, Settings, Value, Workflow } from './tree.ts';
import { readTriggers } from './triggers.ts';
import { readValue } from './value.ts';
import { checkVisible } from './visible.ts';

/** A definition that was read, or all its faults. */
export type ReadWorkflow =
  | {
      readonly workflow: Workflow;
      readonly faults: readonly [];
      readonly references: readonly Reference[];
    }
  | {
      readonly workflow: undefined;
      readonly faults: readonly Fault[];
      readonly references: readonly Reference[];
    };

/** Members of a definition, as of a body. */
const DEFINITION_MEMBERS = [
  'id',
  'name',
  'description',
  'version',
  'status',
  'runAs',
  'key',
  'trigger',
  'input',
  'start',
  'actions',
  'output',
  'errorHandler',
  'executionSettings',
  'humanInteraction',
  'monitoring',
  'collaboration',
  'documentation',
] as const;
/** A member of a definition. */
export type DefinitionMember = (typeof DEFINITION_MEMBERS)[number];
/** An id that a workflow can have. */
export const WorkflowId = ChosenId.refine((id) => id !== 'subjects', 'may not be "subjects"');
/** Members that are stored and shown as they are. */
const FREE = ['humanInteraction', 'monitoring', 'collaboration', 'documentation'];
const DAY_MS = 86_400_000;
/** Longest that a run may take where `executionSettings.timeout` is left out. */
const TIMEOUT_MS = 30 * DAY_MS;
/** Most runs at a time that can be asked for. Spec silent. */
const CONCURRENCY_MAX = 10_000;

/** Reads a definition in the shape that `GET` shows. */
export function readWorkflow(definition: JsonObject, lookups: Lookups): ReadWorkflow {
  return whole(readWorkflowInPieces(definition, lookups));
}

/** The same in pieces: of a definition of 1 MiB it takes a second. */
export function* readWorkflowInPieces(
  definition: JsonObject,
  lookups: Lookups,
): Pieces<ReadWorkflow> {
  const report = new Report();
  const references: Reference[] = [];
  const drafts: Drafts = {
    report,
    lookups,
    references,
    sites: [],
    pace: new Pace(COST.piece),
    byId: new Map(),
    lists: [],
    readOne: (written) => readOne(drafts, written),
    readList: (written) => readList(drafts, written),
  };
  const workflow = yield* readWhole(drafts, new Members(definition, '', report));
  const faults = onlyOnce(report.faults);
  return workflow === undefined || faults.length > 0
    ? { workflow: undefined, faults, references }
    : { workflow, faults: [], references };
}

function* readWhole(drafts: Drafts, members: Members): Pieces<Workflow | undefined> {
  const { report, byId } = drafts;
  members.refuseOthers(DEFINITION_MEMBERS, 'a workflow', placeBesideActions);
  for (const name of FREE) members.members(name);
  const rest = yield* readAround(drafts, members);
  const actions = yield* readActions(drafts, members);
  const handlers = yield* readHandlers(drafts, members);
  if (byId.size > ACTIONS_MAX) {
    members.fault('actions', `must have at most ${ACTIONS_MAX} actions in all`);
    return undefined;
  }
  const isGraph = drafts.lists.some(({ place, isGraph }) => place.in === 'workflow' && isGraph);
  const start = readStart(drafts, members, isGraph);
  yield;
  const structure = new Structure(drafts, handlers, start);
  resolveHandlers(structure);
  yield;
  const looks = yield* checkVisible(structure);
  const [first] = actions ?? [];
  if (actions === undefined || first === undefined || report.faults.length > 0) return undefined;
  return {
    ...rest,
    form: isGraph ? 'graph' : 'list',
    start: start ?? first.id,
    actions,
    // Without a fault each of them was made whole.
    byId: byId as ReadonlyMap<string, unknown> as ReadonlyMap<string, Action>,
    deadLetters: handlers.deadLetters,
    looks,
  };
}

function* readActions(drafts: Drafts, members: Members): Pieces<readonly Action[] | undefined> {
  const json = members.has('actions')
    ? members.list('actions')
    : members.fault('actions', 'is required');
  if (json === undefined) return undefined;
  return yield* drafts.readList({ json: [...json], where: 'actions', place: { in: 'workflow' } });
}

function readStart({ byId }: Drafts, members: Members, isGraph: boolean): string | undefined {
  const start = members.text('start');
  if (start === undefined) return undefined;
  if (isGraph)
    return members.fault('start', 'is not allowed in a graph: actions without after begin at once');
  if (byId.get(start)?.place.in === 'workflow') return start;
  return members.fault('start', `names no action of the top level: "${start.slice(0, 100)}"`);
}

/** The members of a definition besides its actions. */
function* readAround(drafts: Drafts, members: Members) {
  checkNames(members);
  members.chosen('runAs', ['caller', 'author']);
  members.chosen('status', ['active', 'paused']);
  const json = members.get('output');
  const output: Value | undefined =
    json === undefined ? undefined : yield* readValue(drafts, json, 'output', { root: 'end' });
  const key = keyOf(drafts, members, 'key');
  const input = yield* readInput(drafts, members);
  const triggers = yield* readTriggers(drafts, members);
  if (input === undefined && triggers.some((each) => each.type === 'api' && !each.required)) {
    members.fault('input', 'must have a schema: a trigger lets anyone start it');
  }
  return { output, key, input, settings: readSettings(drafts, members), triggers };
}

/** Checks the id, name, description and version. */
function checkNames(members: Members): void {
  const shapes = { id: WorkflowId, name: Name, description: Description, version: VersionName };
  for (const [name, shape] of Object.entries(shapes)) {
    const value = members.get(name);
    if (value === undefined) continue;
    const [issue] = shape.safeParse(value, IN_OUR_WORDS).error?.issues ?? [];
    if (issue !== undefined) members.fault(name, issue.message);
  }
  if (!members.has('name')) members.fault('name', 'is required');
}

/** An expression over the input alone. */
function keyOf(drafts: Drafts, members: Members, name: string): Expr | undefined {
  const source = members.text(name);
  const at = { where: members.at(name), stand: { root: 'input' } } as const;
  return source === undefined ? undefined : compiled(drafts, source, at);
}

function* readInput({ report }: Drafts, definition: Members): Pieces<Workflow['input']> {
  const members = definition.members('input');
  if (members === undefined) return undefined;
  members.refuseOthers(['schema'], 'input');
  const schema = members.get('schema');
  if (schema === undefined) return undefined;
  if (typeof schema !== 'boolean' && !isJsonObject(schema)) {
    return members.fault('schema', 'must be a JSON Schema');
  }
  const at = members.at('schema');
  const compiledSchema = yield* report.tryInPieces(at, compileInPieces(schema, { at }));
  return compiledSchema && { schema, compiled: compiledSchema };
}

function readSettings(drafts: Drafts, definition: Members): Settings {
  const members =
    definition.members('executionSettings') ??
    new Members({}, definition.at('executionSettings'), drafts.report);
  const bounds = { min: 1, max: CONCURRENCY_MAX, isInteger: true };
  return {
    timeoutMs: members.duration('timeout') ?? TIMEOUT_MS,
    maxConcurrency: members.number('maxConcurrency', bounds),
    concurrencyKey: keyOf(drafts, members, 'concurrencyKey'),
    retentionMs: members.duration('retention'),
  };
}

/** Each fault once: some members are read twice, as data and as an action. */
function onlyOnce(faults: readonly Fault[]): readonly Fault[] {
  const known = new Set<string>();
  return faults.filter(({ path, message }) => {
    const key = `${path} ${message}`;
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
}
