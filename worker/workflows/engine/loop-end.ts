/** The end of a loop: what its elements came to becomes its output. Spec: workflows.md §3. */
import type { Json } from '../../../proto/json.ts';
import { writtenText } from '../../../proto/written-json.ts';
import { define, type Plain, type PlainObject } from '../../language/expressions/index.ts';
import type { LoopAction } from '../definition/tree.ts';
import { succeed, viewpoint } from './ending.ts';
import { failureOf } from './failure.ts';
import { Joining, joinsMax } from './joining.ts';
import type { Failure, Node } from './journal.ts';
import { readText } from './ready-values.ts';
import { Scope } from './scope.ts';
import { bounded, putOff, type Turn } from './turn.ts';

/** Joins results, as many as one transition may, and the rest in the next; then the loop ends. */
export function endLoop(turn: Turn, node: Node, action: LoopAction): void {
  const { state } = node;
  try {
    const results = new Joining(
      turn,
      'The results of all elements are larger than 32 MiB',
      state.joined,
    );
    if (!addResults(turn, node, action, results)) {
      state.joined = results.pause();
      turn.journal.touch(node);
      putOff(turn, node.path);
      return;
    }
    if (action.aggregation === undefined) {
      results.add(`,"count":${state.count ?? 0}}`);
      succeed(turn, node, results.keep());
    } else aggregate(turn, node, action.aggregation, results);
    delete state.joined;
  } catch (thrown) {
    const failure: Failure = { ...failureOf(thrown, node.action), effect: 'possible' };
    turn.agenda.push({ do: 'closed', path: node.path, failure });
  }
}

/** The next outputs in order, of a JSON array. Answers whether these were the last. @throws ActionFault RESULT_TOO_LARGE */
function addResults(turn: Turn, node: Node, action: LoopAction, results: Joining): boolean {
  const { journal } = turn;
  const { path, state } = node;
  if (!state.joined) results.add(action.aggregation === undefined ? '{"results":[' : '[');
  let next = 0;
  let left = joinsMax(turn);
  for (const { index, output, error, size } of journal.results(path, left)) {
    if (index > 0) results.add(',');
    if (error === undefined) results.addValue(output, size);
    else results.add(`{"error":${journal.text(error)}}`);
    next = index + 1;
    left -= 1;
  }
  if (next > 0) journal.dropResults(path, next);
  if (left === 0 && next < (state.count ?? 0)) return false;
  results.add(']');
  return true;
}

function aggregate(
  turn: Turn,
  node: Node,
  aggregation: NonNullable<LoopAction['aggregation']>,
  results: Joining,
): void {
  const beside: PlainObject = { results: readText(turn, results.text()) as Plain };
  const scope = new Scope(turn, viewpoint(node));
  const made: PlainObject = {};
  for (const [name, expression] of aggregation) {
    const value = scope.evaluate(expression, beside);
    if (value !== undefined) define(made, name, value);
  }
  // An aggregation that names `count` says itself what that is, as one that names `results` does. Spec silent.
  const whole = Object.hasOwn(made, 'count') ? made : { ...made, count: node.state.count ?? 0 };
  succeed(turn, node, turn.journal.keep(bounded(writtenText(whole as Json))));
}
