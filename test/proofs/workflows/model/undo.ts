/** Compensation: what ended last is undone first. Spec: workflows.md §4. */
import type { Json } from '../../../../proto/json.ts';
import { Stop } from './clock.ts';
import { settleKey } from './keys.ts';
import type { Act } from './steps.ts';
import { isBelow, type Ran, type World } from './world.ts';

/** What is undone, and why. */
interface Undoing {
  /** Path of a container; empty is the whole run. */
  readonly below: string;
  readonly error: Json | undefined;
  /** Goes no further once this is stopped. */
  readonly stop?: Stop;
}

/** Undoes everything, one action after the other; answers whether all could be. */
export async function undoBelow(
  world: World,
  act: Act,
  { below, error, stop }: Undoing,
): Promise<boolean> {
  let isWhole = true;
  for (let ran = lastOf(world, below); ran && !stop?.isStopped; ran = lastOf(world, below)) {
    ran.toUndo = false;
    const result = await undoOne(world, act, ran, error);
    if (result === 'complete') {
      ran.status = 'compensated';
      world.undone += 1;
    }
    if (result === 'partial') {
      world.notUndone += 1;
      isWhole = false;
    } else settleKey(world, ran, 'free');
  }
  return isWhole;
}

async function undoOne(
  world: World,
  act: Act,
  { id, path, env }: Ran,
  error: Json | undefined,
): Promise<'none' | 'complete' | 'partial'> {
  const compensation = world.tree.byId.get(id)?.action.compensation;
  if (!compensation) {
    world.log('undo-child', path);
    const { ms, is } = world.fate.undoing(path);
    await world.clock.wait(ms);
    return is;
  }
  const at = { frame: `${path}.`, env, stop: new Stop(), error };
  const ended = await act(world, compensation, at);
  return ended.is === 'done' ? 'complete' : 'partial';
}

function lastOf(world: World, below: string): Ran | undefined {
  const [last, ...others] = [...world.ran.values()]
    .filter(({ toUndo, path }) => toUndo && isBelow(path, below))
    .sort((one, other) => other.order - one.order);
  if (!last) return undefined;
  world.isTied ||= others.some(
    ({ ended, path }) =>
      ended === last.ended && !isBelow(path, last.path) && !isBelow(last.path, path),
  );
  return last;
}
