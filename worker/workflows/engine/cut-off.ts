/** An attempt whose call was in flight when everything ended: it is unknown whether it had its effect. Spec: workflows.md §7. */
import { fail } from './ending.ts';
import { comesTo, settle } from './settle.ts';
import { startAttempt } from './start.ts';
import { actionOf, keepFailure, setPhase, type Turn } from './turn.ts';

/** Whether a call that was cut off may have changed something; `kept` where its backend knows, when it is asked again. */
export type CutEffect = 'none' | 'possible' | 'kept';

/** What only reads is made again, and what its backend keeps once. */
export function cutOff(turn: Turn, path: string, effect: CutEffect): void {
  const { now } = turn;
  const node = comesTo(turn, path);
  if (node?.phase !== 'attempt') return;
  const action = actionOf(turn, node);
  if (effect === 'possible') {
    const message = 'The gateway stopped while the call was in flight: it may have taken effect';
    fail(turn, node, { code: 'OUTCOME_UNKNOWN', message, action: action.id });
  } else {
    const failure = {
      code: 'SERVICE_UNAVAILABLE',
      message: 'The gateway stopped while the call was in flight',
      action: action.id,
    };
    const { code, message } = failure;
    node.tried = [...node.tried, { started: node.attemptAt, ended: now, code, message }];
    node.error = keepFailure(turn, failure);
    if (effect === 'kept') node.state.maybe = true;
    // It was none of the backend's failures, and counts for nothing.
    node.state.forgiven = (node.state.forgiven ?? 0) + 1;
    setPhase(turn, node, 'ready', 'running');
    startAttempt(turn, node, action);
  }
  settle(turn);
}
