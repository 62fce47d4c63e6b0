/** Actions that do one thing and hold no others: endpoint, template, condition, subworkflow. Spec: workflows.md §3. */

import { wholeText } from '../../../proto/decimal.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, isRawJson, type Json, numberText } from '../../../proto/json.ts';
import { comparedName } from '../../shapes/ids.ts';
import { beforeOf, type DraftContext, type TypeReader, targetOf } from './draft.ts';
import { compiled } from './expression.ts';
import type { EndpointReference } from './findings.ts';
import { requestOf } from './request.ts';
import type { Expr, Value } from './tree.ts';
import { CompiledValue } from './value.ts';

/** An action of an endpoint. */
export const endpoint: TypeReader<'endpoint'> = {
  members: ['endpoint', 'operation', 'timeout', 'expect'],
  // biome-ignore lint/correctness/useYield: it has nothing to give way at.
  *read(around) {
    const { drafts, members, draft } = around;
    draft.timeoutMs = members.duration('timeout');
    const named = members.needText('endpoint');
    const operation = members.has('operation')
      ? members.chosen('operation', ['read', 'write'])
      : members.fault('operation', 'is required: read or write');
    const input = members.has('input') ? members.members('input') : undefined;
    if (!members.has('input')) members.fault('input', 'is required: the request that is sent');
    const expects = readExpect(around, named);
    if (named === undefined || operation === undefined || input === undefined) return undefined;
    const read = readRequest(around, { named, operation });
    if (read === undefined || expects === undefined) return undefined;
    const path = members.at('endpoint');
    drafts.references.push({ kind: 'endpoint', id: comparedName(named), path, level: read.level });
    return { endpoint: named, operation, request: read.request, expects };
  },
};

function readRequest(
  around: DraftContext,
  { named, operation }: { readonly named: string; readonly operation: 'read' | 'write' },
): { readonly request: Value; readonly level: EndpointReference['level'] } | undefined {
  const { drafts, members } = around;
  const { report, lookups } = drafts;
  const input = members.get('input');
  const kind = lookups.kindOf(comparedName(named));
  const level = operation === 'read' ? 'Read' : 'Write';
  const at = members.at('input');
  if (kind === undefined) {
    const message = `Endpoint ${named} does not exist`;
    const gone = new GatewayError('ENDPOINT_NOT_FOUND', message);
    if (lookups.isStored === true) return { request: failing(at, gone), level };
    members.fault('endpoint', `names no endpoint of the organization: ${named}`);
    return undefined;
  }
  if (!isJsonObject(input)) return undefined;
  const before = report.faults.length;
  const written = { endpoint: named, kind, operation, input, at, stand: beforeOf(around) };
  const read = requestOf(drafts, written);
  if (read !== undefined || lookups.isStored !== true) return read;
  // It fitted the endpoint when it was stored.
  const [first, ...others] = report.faults.splice(before);
  const message = first ? `${first.path}: ${first.message}` : 'The request no longer fits';
  const details = first ? [first, ...others] : [];
  return { request: failing(at, new GatewayError('BAD_REQUEST', message, { details })), level };
}

/** What replaces a request that can no longer be sent. */
function failing(at: string, error: GatewayError): Value {
  const fail = () => {
    throw error;
  };
  return new CompiledValue(at, fail, { expressions: [], constant: undefined });
}

/** Statuses of HTTP that are no failure. Spec: workflows.md §3, `expect`. */
const EXPECTED = ['2xx', '3xx'];
const STATUS_DIGITS = 3;
const STATUS = /^(?:[1-5]xx|[1-5]\d\d)$/i;

function readExpect({ drafts, members }: DraftContext, named: string | undefined) {
  const kind = named === undefined ? undefined : drafts.lookups.kindOf(comparedName(named));
  if (members.has('expect') && kind !== undefined && kind !== 'http') {
    return members.fault('expect', 'is of endpoints of kind Http alone');
  }
  const list = members.list('expect') ?? (members.has('expect') ? undefined : EXPECTED);
  if (list === undefined) return undefined;
  const statuses = list.map(statusOf);
  for (const [index, status] of statuses.entries()) {
    if (status !== undefined) continue;
    drafts.report.add(`${members.at('expect')}.${index}`, 'must be a status, such as 404 or "2xx"');
  }
  if (statuses.length === 0) return members.fault('expect', 'must have at least one status');
  if (statuses.includes(undefined)) return undefined;
  const known = new Set(statuses);
  return (status: number) =>
    known.has(String(status)) || known.has(`${Math.floor(status / 100)}xx`);
}

function statusOf(value: Json): string | undefined {
  const isNumber = typeof value === 'number' || isRawJson(value);
  const text = isNumber ? wholeText(numberText(value), STATUS_DIGITS) : value;
  return typeof text === 'string' && STATUS.test(text) ? text.toLowerCase() : undefined;
}

/** An action that runs a template. */
export const template: TypeReader<'template'> = {
  members: ['template', 'timeout'],
  // biome-ignore lint/correctness/useYield: it has nothing to give way at.
  *read({ drafts, members, draft }) {
    draft.timeoutMs = members.duration('timeout');
    const named = members.needText('template');
    if (named === undefined) return undefined;
    const path = members.at('template');
    drafts.references.push({ kind: 'template', id: comparedName(named), path });
    return { template: named };
  },
};

/** An action that decides where the run goes on. */
export const condition: TypeReader<'condition'> = {
  members: ['condition', 'true', 'false'],
  // biome-ignore lint/correctness/useYield: it has nothing to give way at.
  *read(around) {
    const { members } = around;
    const expr = expressionOf(around, 'condition');
    const ways = {
      true: targetOf(around, members, 'true'),
      false: targetOf(around, members, 'false'),
    };
    return expr && { condition: expr, ...ways };
  },
};

/** An action that starts a run of another workflow. */
export const subworkflow: TypeReader<'subworkflow'> = {
  members: ['workflow', 'timeout', 'waitForCompletion'],
  // biome-ignore lint/correctness/useYield: it has nothing to give way at.
  *read({ drafts, members, draft }) {
    draft.timeoutMs = members.duration('timeout');
    const waitForCompletion = members.flag('waitForCompletion', true);
    const named = members.needText('workflow');
    if (named === undefined) return undefined;
    const path = members.at('workflow');
    drafts.references.push({ kind: 'workflow', id: comparedName(named), path });
    return { workflow: named, waitForCompletion };
  },
};

/** The expression that a member is, and has to be. */
export function expressionOf(around: DraftContext, name: string): Expr | undefined {
  const { drafts, members } = around;
  const source = members.needText(name);
  const at = { where: members.at(name), stand: beforeOf(around) };
  return source === undefined ? undefined : compiled(drafts, source, at);
}
