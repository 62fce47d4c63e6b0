/** What passes between the parts of the model: where an action runs, how an attempt and an action end. */
import type { Json } from '../../../../proto/json.ts';
import type { Target, Written } from '../written.ts';
import type { Stop } from './clock.ts';
import type { Failure } from './tree.ts';
import type { Env, World } from './world.ts';

/** Where an action runs. */
export interface At {
  /** What the paths of its list begin with. */
  readonly frame: string;
  readonly env: Env;
  readonly stop: Stop;
  /** What it stands for or beside has failed so. */
  readonly error?: Json | undefined;
}

/** How an attempt ended. */
export type Made =
  | { readonly is: 'output'; readonly output: Json | undefined; readonly by?: string }
  | { readonly is: 'failed'; readonly failure: Failure; readonly route?: string | undefined }
  /** It was stopped before it had an end of its own. */
  | { readonly is: 'cut' }
  /** Its time was over, and the run goes on elsewhere. */
  | { readonly is: 'timed-out'; readonly failure: Failure; readonly to: Target };

/** How an action ended, and what follows. */
export type Ended =
  | { readonly is: 'done'; readonly output: Json | undefined; readonly follows: Target }
  | { readonly is: 'failed'; readonly failure: Failure; readonly route?: string | undefined }
  /** Nothing follows. */
  | { readonly is: 'stopped' };

/** Runs an action to its end. */
export type Act = (world: World, action: Written, at: At) => Promise<Ended>;

/** A failure as it is told. */
export function toldOf({ code, action, details }: Failure): Json {
  return { code, action, ...(details === undefined ? {} : { details }) };
}

/** Runs a list from one of its actions. @param from default the first */
export async function runList(
  world: World,
  list: readonly Written[],
  at: At,
  { act, from }: { readonly act: Act; readonly from?: string },
): Promise<Ended> {
  let action = from === undefined ? list[0] : list.find(({ id }) => id === from);
  for (;;) {
    if (!action) throw new Error('A list has no such action');
    const ended = await act(world, action, at);
    if (ended.is !== 'done' || ended.follows === null) return ended;
    const { follows } = ended;
    action = list.find(({ id }) => id === follows);
  }
}
