/** One attempt of an action, by its type. Spec: workflows.md §3. */
import type { Json } from '../../../../proto/json.ts';
import type { Acting } from './acting.ts';
import { expressionFailed, holdsOf } from './acting.ts';
import { runDynamic, runLoop, runParallel } from './containers.ts';
import { inputOf, runCall, runChild, runTask, runWait } from './leaves.ts';
import type { Act, Made } from './steps.ts';

/** Begins the attempt, and answers how it ended. */
export async function attempt(acting: Acting, act: Act): Promise<Made> {
  const { ran, action } = acting;
  ran.attempts += 1;
  ran.status = 'running';
  try {
    return await byType(acting, act);
  } catch (thrown) {
    return { is: 'failed', failure: expressionFailed(action, thrown) };
  }
}

function byType(acting: Acting, act: Act): Promise<Made> {
  const { world, action, ran, at } = acting;
  switch (action.type) {
    case 'condition':
      return decide(acting);
    case 'parallel':
      return runParallel(world, action, ran, { at, act });
    case 'loop':
      return runLoop(world, action, ran, { at, act });
    case 'dynamicAction':
      return runDynamic(world, action, ran, { at, act });
    case 'wait':
      return runWait(world, action, ran, at);
    case 'humanTask':
      return runTask(world, action, ran, at);
    case 'subworkflow':
      return runChild(world, action, ran, { at, input: sent(acting) });
    default:
      return runCall(world, action, ran, sent(acting));
  }
}

async function decide(acting: Acting): Promise<Made> {
  acting.ran.holds = holdsOf(acting);
  return { is: 'output', output: acting.ran.holds };
}

/** Every attempt sends the same. @throws ExpressionFailed */
function sent(acting: Acting): Json {
  acting.sent ??= inputOf(acting.world, acting.action, acting.at);
  return acting.sent;
}
