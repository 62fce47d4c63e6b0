/** What is told of a statement that writes and was sent by a type that reads: within a transaction the type alone decides, and there is no `/write`. */
import { kindSpec } from '../../../kinds/index.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Operation } from './plan.ts';

/** Whether a backend's driver refused a statement because it is none that only reads. */
export function isNoRead(thrown: unknown): thrown is GatewayError {
  if (!(thrown instanceof GatewayError) || thrown.code !== 'BAD_REQUEST') return false;
  return thrown.details.some((each) => 'rule' in each && each.rule === 'read_statement');
}

/** The same failure with what to send instead; of one that is held to reading, as it is. */
export function withType(
  thrown: unknown,
  { endpoint, request: { type }, place, isHeld }: Operation,
): unknown {
  if (isHeld || !isNoRead(thrown)) return thrown;
  const { types } = kindSpec(endpoint.row.kind);
  const writing = Object.keys(types).find((each) => types[each] === 'write') ?? 'execute';
  const problem = `a request of type ${type} only reads in a transaction, and this statement does more: send it with type ${writing}`;
  const path = `operations.${place}.query`;
  return new GatewayError('BAD_REQUEST', `operations.${place}: ${problem}`, {
    details: [{ rule: 'read_statement', path, message: problem, operation: place }],
    cause: thrown,
  });
}
