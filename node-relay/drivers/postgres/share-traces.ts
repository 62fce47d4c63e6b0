/** What the statements of a share leave on its connection. */
import type { Traces } from '../lender.ts';
import type { Connection } from './connection.ts';

/** What they leave together, once their transaction has ended well. */
export function tracesTogether(
  connection: Pick<Connection, 'suspect'>,
  left: readonly Traces[],
): Traces {
  const [only, ...others] = left;
  if (only !== undefined && others.length === 0) return only;
  // What is known of the last one alone says nothing of the others.
  connection.suspect = true;
  for (const one of ['unusable', 'some'] as const) if (left.includes(one)) return one;
  const asks = left.flatMap((each) => (typeof each === 'object' ? [each.ask] : []));
  if (asks.length === 0) return 'none';
  return {
    async ask() {
      let found = false;
      for (const ask of asks) found = (await ask()) || found;
      connection.suspect = true;
      return found;
    },
  };
}
