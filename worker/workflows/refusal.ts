/** What is answered where a definition cannot be. */
import { GatewayError } from '../../proto/errors.ts';
import type { Fault } from './definition/found.ts';

/** A definition that cannot be: names the first fault, and tells all. */
export function refusal(faults: readonly Fault[]): GatewayError {
  const [first] = faults;
  const message = first ? `${first.path}: ${first.message}` : 'The definition cannot be read';
  return new GatewayError('BAD_REQUEST', message, { details: faults });
}
