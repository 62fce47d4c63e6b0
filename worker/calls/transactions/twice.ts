/** Finds members that are there twice where the text of a request matters: parsed, the last of them is left. Spec: transactions.md §5. */
import type { Json } from '../../../proto/json.ts';
import { readOrdered } from '../../../proto/parse-ordered.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';

const keepsNumber = () => false;

/** Refuses a request that has one. @param text that is known to be JSON @throws GatewayError BAD_REQUEST */
export function refuseTwice(text: string): Pieces<Json> {
  return readOrdered(text, { keepsNumber, refusesTwice: true });
}

/**
 * The first such member of each operation, by the operation's place. One of the body itself is none: its last counts.
 * @param text body of `POST /transactions`, that is known to be JSON
 */
export function* twiceInOperations(text: string): Pieces<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  const noteTwice = (name: string, [member, place]: readonly (string | number)[]): void => {
    if (member === undefined && name === 'operations') found.clear(); // Those before do not count.
    const isWithin = member === 'operations' && typeof place === 'number';
    if (isWithin && !found.has(place)) found.set(place, name);
  };
  yield* readOrdered(text, { keepsNumber, refusesTwice: false, noteTwice });
  return found;
}
