/** The first of what a statement itself calls that somebody refuses. */
import { ask, type CheckedStatement } from './guard.ts';
import type { Inquirer } from './inquirer.ts';
import { lookUpAll } from './reach.ts';
import type { ReachedFunction } from './server-functions.ts';
import type { References } from './tree.ts';

/**
 * First by the names that the text itself has; then, where the server can be asked, only what it finds there. What is attached
 * to its tables (views, triggers, defaults, policies) is their owner's.
 */
export async function reachedCode(
  asked: CheckedStatement,
  inquirer: Inquirer,
  isRefused: (found: ReachedFunction) => boolean,
): Promise<ReachedFunction | undefined> {
  const { references } = asked.statement;
  if (callsNothing(references)) return undefined;
  const named = await lookUpAll({ ...references, relations: [] }, inquirer.lookUp);
  const suspects = named.filter(isRefused);
  if (suspects.length === 0) return undefined;
  const found = await ask(asked, inquirer);
  if (typeof found === 'string') return suspects[0];
  const called = new Set(found.reached.map(nameOf));
  return suspects.find((each) => called.has(nameOf(each)));
}

/** Whether its text names nothing that could be code: that cannot be asked in a transaction that has failed. */
function callsNothing({ functions, operators, types, fields }: References): boolean {
  return [functions, operators, types, fields].every(({ length }) => length === 0);
}

function nameOf({ schema, name }: ReachedFunction): string {
  return JSON.stringify([schema, name]);
}
