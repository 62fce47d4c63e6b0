/** The insert shape: a graph of template nodes becomes actions. Spec: "Insert shape"; workflows.md §1. */
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { Pace, type Pieces, whole } from '../../../proto/work/pieces.ts';
import { compileExpression } from '../../language/expressions/index.ts';
import { Report } from '../../templates/transformation/report.ts';
import { CHARACTERS_OF_PART, COST } from './expression.ts';
import type { Fault } from './findings.ts';
import { ACTION_ID, ACTION_ID_FORM } from './ids.ts';
import { Members } from './members.ts';

/** A node of a graph. */
interface Node {
  readonly id: string;
  readonly source: readonly string[];
  readonly children: readonly string[];
  /** The same, to be looked up. */
  readonly named: { readonly source: ReadonlySet<string>; readonly children: ReadonlySet<string> };
  readonly template: string;
  readonly inputOp: string | undefined;
  readonly outputOp: string | undefined;
  readonly members: Members;
}

/** Whether a `workflow_schema` is a graph of nodes, and no definition. */
export function isDag(schema: JsonObject): boolean {
  return Object.hasOwn(schema, 'dag');
}

/** What a graph of nodes is. */
interface Made {
  readonly actions: readonly JsonObject[];
  readonly faults: readonly Fault[];
}

/** Of graphs that are at hand: each is read once, however often it is asked for. Nobody changes one. */
const known = new WeakMap<JsonObject, Made>();

/** The actions that a graph of nodes is, or everything that is wrong with it. */
export function actionsOf(schema: JsonObject): Made {
  return whole(actionsInPieces(schema));
}

/** The same in pieces: one of 1 MiB takes a tenth of a second. */
export function* actionsInPieces(schema: JsonObject): Pieces<Made> {
  const made = known.get(schema) ?? (yield* read(schema));
  known.set(schema, made);
  return made;
}

function* read(schema: JsonObject): Pieces<Made> {
  const pace = new Pace(COST.piece);
  const report = new Report();
  const members = new Members(schema, 'workflow_schema', report);
  members.refuseOthers(['id', 'dag'], 'workflow_schema');
  const dag = members.members('dag');
  dag?.refuseOthers(['nodes'], 'dag');
  const nodes = dag?.has('nodes') ? dag.members('nodes') : dag?.fault('nodes', 'is required');
  const found: Node[] = [];
  for (const id of Object.keys(nodes?.object ?? {})) {
    const node = readNode(nodes, id);
    if (node) found.push(node);
    if (pace.isOver(COST.action + costOf(node))) yield;
  }
  if (nodes !== undefined && Object.keys(nodes.object).length === 0) {
    dag?.fault('nodes', 'must have at least one node');
  }
  const byId = new Map(found.map((node) => [node.id, node]));
  const actions: JsonObject[] = [];
  for (const node of found) {
    checkNeighbours(node, byId);
    actions.push(actionOf(node));
    if (pace.isOver(COST.part + costOf(node))) yield;
  }
  return { actions, faults: report.faults };
}

/** What a node costs to be read besides itself: its neighbours and its expressions. */
function costOf(node: Node | undefined): number {
  if (!node) return 0;
  const { source, children, inputOp = '', outputOp = '' } = node;
  const characters = inputOp.length + outputOp.length;
  return COST.part * (source.length + children.length) + characters / CHARACTERS_OF_PART;
}

function readNode(nodes: Members | undefined, id: string): Node | undefined {
  const members = nodes?.members(id);
  if (members === undefined) return undefined;
  members.refuseOthers(
    ['id', 'source', 'children', 'template_uuid', 'input_op', 'output_op'],
    'a node',
  );
  if (!ACTION_ID.test(id)) nodes?.fault(id, `is the id of a node, and ${ACTION_ID_FORM}`);
  const own = members.needText('id');
  if (own !== undefined && own !== id) members.fault('id', `must be the key of the node: ${id}`);
  const template = members.needText('template_uuid');
  const [source, children] = [members.texts('source') ?? [], members.texts('children') ?? []];
  const node = {
    ...{ id, source, children },
    named: { source: new Set(source), children: new Set(children) },
    inputOp: operationOf(members, 'input_op'),
    outputOp: operationOf(members, 'output_op'),
    members,
  };
  return template === undefined ? undefined : { ...node, template };
}

/** An expression by itself: put into another, no part of it may lead out of it. */
function operationOf(members: Members, name: string): string | undefined {
  const source = members.given(name) === undefined ? undefined : members.text(name);
  if (source === undefined) return undefined;
  const read = () => compileExpression(source, { names: ['$'] });
  return members.report.try(members.at(name), read) && source;
}

/** What a node says about its neighbours, they say of it. */
function checkNeighbours({ id, source, children, members }: Node, byId: ReadonlyMap<string, Node>) {
  const check = (name: 'source' | 'children', others: readonly string[]) => {
    const back = name === 'source' ? 'children' : 'source';
    for (const [index, other] of others.entries()) {
      const where = `${members.at(name)}.${index}`;
      const node = byId.get(other);
      if (node === undefined) members.report.add(where, `names no node: ${other.slice(0, 100)}`);
      else if (!node.named[back].has(id)) {
        members.report.add(where, `names ${other}, whose ${back} do not name this node`);
      }
    }
  };
  check('source', source);
  check('children', children);
}

function actionOf({ id, source, template, inputOp, outputOp }: Node): JsonObject {
  const output = outputOp === undefined ? {} : { output: applied(outputOp, '$.output') };
  const input = inputOp === undefined ? plainInput(source) : applied(inputOp, inputOf(source));
  return { id, type: 'template', template, after: [...source], input, ...output };
}

/** Its source's output; of several, an object by node id; the workflow's input for a root. */
function plainInput(source: readonly string[]): Json {
  const [first, ...others] = source;
  if (first === undefined) return '$.input';
  if (others.length === 0) return outputOf(first);
  return Object.fromEntries(source.map((each) => [each, outputOf(each)]));
}

/** The same as an expression. */
function inputOf(source: readonly string[]): string {
  const input = plainInput(source);
  if (!isJsonObject(input)) return String(input);
  const members = source.map((each) => `${JSON.stringify(each)}: ${outputOf(each)}`);
  return `({${members.join(', ')}})`;
}

function outputOf(id: string): string {
  return `$.actions[${JSON.stringify(id)}].output`;
}

/** An expression over a value. Its end is on a line of its own: a comment would swallow it. */
function applied(operation: string, value: string): string {
  return `$((($) => (${operation}\n))(${value}))`;
}
