/** Idempotency keys: one effect for one action and value. Spec: workflows.md §4, `idempotencyKey`. */
import type { Json } from '../../../../proto/json.ts';
import type { Written } from '../written.ts';
import { msOf } from './containers.ts';
import { ExpressionFailed, evaluate } from './scope.ts';
import type { At, Made } from './steps.ts';
import type { Key, Ran, World } from './world.ts';

/** The state of a key for the action that asks. */
type Claimed =
  | { readonly is: 'own' }
  | { readonly is: 'earlier'; readonly output: Json | undefined }
  | { readonly is: 'unknown' }
  | Extract<Made, { is: 'failed' | 'cut' }>;

/** Whose keys earlier runs hold. */
export const EARLIER = 'an earlier run';

/** Gives an action its key, where it has one and does not hold it yet. */
export async function claim(world: World, action: Written, ran: Ran, at: At): Promise<Claimed> {
  if (action.idempotencyKey === undefined || ran.key !== undefined) return { is: 'own' };
  let value: Json | undefined;
  try {
    value = evaluate(world, action.idempotencyKey, at);
  } catch (thrown) {
    if (!(thrown instanceof ExpressionFailed)) throw thrown;
    return { is: 'failed', failure: { code: 'EXPRESSION_FAILED', action: action.id } };
  }
  if (value === undefined || value === null) {
    return { is: 'failed', failure: { code: 'INVALID_INPUT', action: action.id } };
  }
  const name = `${action.id}:${JSON.stringify(value)}`;
  return wait(world, action, ran, { at, name });
}

/** While it is in flight elsewhere, it waits for it within its time. */
function wait(
  world: World,
  action: Written,
  ran: Ran,
  { at, name }: { readonly at: At; readonly name: string },
): Promise<Claimed> {
  return new Promise((resolve) => {
    const waiter = { name, ask: () => ask() };
    let disarm = () => {};
    const end = (claimed: Claimed) => {
      disarm();
      const place = world.keyWaiters.indexOf(waiter);
      if (place >= 0) world.keyWaiters.splice(place, 1);
      resolve(claimed);
    };
    const ask = () => {
      const key = keyOf(world, name);
      if (!key) {
        // Whether one that waits has it, or one that comes as it is free again.
        const others = world.keyWaiters.some((each) => each.name === name && each !== waiter);
        const isNew = !world.keyWaiters.includes(waiter);
        world.isTied ||= isNew && others && hasJustEnded(world, name);
        world.keys.set(name, { is: 'held', path: ran.path });
        world.keysTaken.set(name, world.clock.now);
        ran.key = name;
        end({ is: 'own' });
      } else if (key.is === 'done') end({ is: 'earlier', output: key.output });
      else if (key.is === 'unknown') end({ is: 'unknown' });
      // Of two that come at one moment the first of their list has it, unless it took longer to come so far.
      else if (!world.keyWaiters.includes(waiter)) {
        const isFirst = ran.path.localeCompare(key.path, 'en', { numeric: true }) < 0;
        world.isTied ||= isFirst && world.keysTaken.get(name) === world.clock.now;
        world.keyWaiters.push(waiter);
      }
    };
    ask();
    if (!world.keyWaiters.includes(waiter)) return;
    ran.status = 'waiting';
    const limit = limitOf(action);
    const failure = { code: 'TIMED_OUT', action: action.id };
    if (limit !== undefined)
      disarm = world.clock.later(limit, () => end({ is: 'failed', failure }));
    at.stop.listen(() => {
      // It might have been told before it was stopped.
      world.isTied ||= world.keyWaiters.includes(waiter) && hasJustEnded(world, name);
      end({ is: 'cut' });
    });
  });
}

function hasJustEnded({ keysEnded, clock }: World, name: string): boolean {
  return keysEnded.get(name) === clock.now;
}

function limitOf({ timeout, type }: Written): number | undefined {
  if (typeof timeout === 'string') return msOf(timeout);
  return type === 'template' ? 60_000 : undefined;
}

function keyOf(world: World, name: string): Key | undefined {
  const known = world.keys.get(name);
  if (known || world.told.has(`key ${name}`)) return known;
  world.told.add(`key ${name}`);
  const earlier = world.fate.earlierKey(name);
  if (!earlier) return undefined;
  if (earlier.is !== 'held') {
    world.keys.set(name, earlier);
    return earlier;
  }
  const { until, ends } = earlier;
  const ms = Math.max(1, until - world.clock.now);
  world.clock.later(ms, () =>
    settle(
      world,
      name,
      ends === 'free' ? undefined : { is: 'done', output: { n: 1, list: [], of: EARLIER } },
    ),
  );
  const held: Key = { is: 'held', path: EARLIER };
  world.keys.set(name, held);
  return held;
}

/** Gives the key of an action its end. */
export function settleKey(world: World, ran: Ran, as: 'done' | 'unknown' | 'free'): void {
  const { key: name } = ran;
  if (name === undefined) return;
  if (as === 'free') settle(world, name, undefined);
  else settle(world, name, as === 'done' ? { is: 'done', output: ran.output } : { is: 'unknown' });
}

function settle(world: World, name: string, key: Key | undefined): void {
  if (key) world.keys.set(name, key);
  else world.keys.delete(name);
  world.keysEnded.set(name, world.clock.now);
  world.clock.soon(() => {
    for (const waiter of world.keyWaiters.filter((each) => each.name === name)) waiter.ask();
  });
}
