/** The insert shape: a graph of template nodes becomes actions. Spec: "Insert shape"; workflows.md §1. */
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { compileExpression } from '../../language/expressions/index.ts';
import { Report } from '../../templates/transformation/report.ts';
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

/** The actions that a graph of nodes is, or everything that is wrong with it. */
export function actionsOf(schema: JsonObject): {
  readonly actions: readonly JsonObject[];
  readonly faults: readonly Fault[];
} {
  const report = new Report();
  const members = new Members(schema, 'workflow_schema', report);
  members.refuseOthers(['id', 'dag'], 'workflow_schema');
  const dag = members.members('dag');
  dag?.refuseOthers(['nodes'], 'dag');
  const nodes = dag?.has('nodes') ? dag.members('nodes') : dag?.fault('nodes', 'is required');
  const read = Object.keys(nodes?.object ?? {}).flatMap((id) => readNode(nodes, id) ?? []);
  if (nodes !== undefined && Object.keys(nodes.object).length === 0) {
    dag?.fault('nodes', 'must have at least one node');
  }
  const byId = new Map(read.map((node) => [node.id, node]));
  for (const node of read) checkNeighbours(node, byId);
  return { actions: read.map(actionOf), faults: report.faults };
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
