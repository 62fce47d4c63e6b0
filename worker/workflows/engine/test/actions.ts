/** Actions and answers of tests of the engine. */
import type { Json } from '../../../../proto/json.ts';
import { type Answers, World } from './world.ts';

/** An action that calls something. */
export const call = (id: string, more: { readonly [member: string]: Json } = {}) => ({
  id,
  type: 'template',
  template: 't',
  ...more,
});
/** A compensation. */
export const undo = (id: string) => call(`undo-${id}`);

/** Fails the first attempts of actions, by their paths. */
export const failing =
  (times: Readonly<Record<string, number>>, code = 'CONNECTION_FAILED'): Answers =>
  (path, attempt) =>
    attempt <= (times[path] ?? 0) ? { code } : { output: { of: path } };

/** A run from its start to its end. */
export function run(
  definition: { readonly [member: string]: Json },
  input: Json = {},
  answers?: Answers,
) {
  const world = new World(definition, input, answers ?? failing({})).begin().go();
  return {
    world,
    status: world.run.status,
    made: world.made,
    output: world.output,
    error: world.error,
  };
}
