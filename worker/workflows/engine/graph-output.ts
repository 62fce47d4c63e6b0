/** The output of a graph: what the actions came to that no other follows. Spec: workflows.md §1. */
import type { Workflow } from '../definition/tree.ts';
import { Joining, joinsMax } from './joining.ts';
import type { Ref } from './journal.ts';
import { putOff, type Turn, VALUE_TOO_LARGE } from './turn.ts';

/**
 * Joins outputs, as many as one transition may, and the rest in the next: then it answers the whole.
 * @throws ActionFault RESULT_TOO_LARGE
 */
export function graphOutput(turn: Turn): Ref | undefined {
  const { workflow, run, journal } = turn;
  const ends = endsOf(workflow);
  const from = run.joined?.next ?? 0;
  const output = new Joining(turn, VALUE_TOO_LARGE, run.joined);
  const some = ends.slice(from, from + joinsMax(turn));
  journal.readAhead(some);
  for (const [past, id] of some.entries()) {
    output.add(`${from + past === 0 ? '{' : ','}${JSON.stringify(id)}:`);
    output.addValue(journal.node(id)?.output);
  }
  const next = from + some.length;
  if (next < ends.length) {
    run.joined = { ...output.pause(), next };
    putOff(turn, '');
    return undefined;
  }
  run.joined = undefined;
  output.add('}');
  return output.keep();
}

const known = new WeakMap<Workflow, readonly string[]>();

/** Ids of the actions that no other follows. */
function endsOf(workflow: Workflow): readonly string[] {
  const made = known.get(workflow);
  if (made) return made;
  const followed = new Set(workflow.actions.flatMap(({ after = [] }) => after));
  const ends = workflow.actions.map(({ id }) => id).filter((id) => !followed.has(id));
  known.set(workflow, ends);
  return ends;
}
