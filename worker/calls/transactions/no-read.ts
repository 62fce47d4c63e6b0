/** What is told of a statement that writes and was sent by a type that reads: within a transaction the type alone decides, and there is no `/write`. */
import { kindSpec } from '../../../kinds/index.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { demand, type HeldLevel } from '../../access/access.ts';
import { inWordsOf } from '../write-advice.ts';
import type { Operation } from './plan.ts';

/** What its caller lacks. */
const OF_LEVEL = 'it needs Write access';
/** Rules by which a backend's driver tells what does no more than read. */
const OF_READS = /^read_/;

/** Whether a backend's driver refused a statement because it is none that only reads. */
export function isNoRead(thrown: unknown): thrown is GatewayError {
  if (!(thrown instanceof GatewayError) || thrown.code !== 'BAD_REQUEST') return false;
  return thrown.details.some((each) => 'rule' in each && each.rule === 'read_statement');
}

/** The same failure with what to send instead; of one that is held to reading, as it is. */
export function withType(thrown: unknown, operation: Operation): unknown {
  const { endpoint, request, place, isHeld } = operation;
  if (isHeld) return withLevel(thrown, [operation]);
  if (!isNoRead(thrown)) return thrown;
  const { type } = request;
  const { types } = kindSpec(endpoint.row.kind);
  const writing = Object.keys(types).find((each) => types[each] === 'write') ?? 'execute';
  const problem = `a request of type ${type} only reads in a transaction, and this statement does more: send it with type ${writing}`;
  const path = `operations.${place}.query`;
  return new GatewayError('BAD_REQUEST', `operations.${place}: ${problem}`, {
    details: [{ rule: 'read_statement', path, message: problem, operation: place }],
    cause: thrown,
  });
}

/** The same failure as a level that is missing, where one of these operations was held to reading for its caller's lack of it. */
export function withLevel(thrown: unknown, operations: readonly Operation[]): unknown {
  if (!(thrown instanceof GatewayError) || thrown.code !== 'BAD_REQUEST') return thrown;
  const told = thrown.details.find((each) => 'rule' in each && OF_READS.test(String(each.rule)));
  if (!told) return thrown;
  const { operation } = told;
  const held = operations.find(({ place }) => operation === undefined || operation === place);
  return held?.holding ? lacking(held.place, held.holding, inWordsOf(OF_LEVEL, thrown)) : thrown;
}

/** That Write is missing, and why the operation needs it. */
function lacking(place: number, holding: HeldLevel, { details }: GatewayError): unknown {
  try {
    return demand(holding, 'Write');
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) return thrown;
    const all = [...thrown.details, ...details].map((each) => ({ ...each, operation: place }));
    return new GatewayError(thrown.code, thrown.message, { details: all, cause: thrown });
  }
}
