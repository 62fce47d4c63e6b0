/** The nine types of actions: which members each has, and how they are read. Spec: workflows.md §3. */
import { dynamicAction, loop, parallel } from './containers.ts';
import type { TypeReader } from './draft.ts';
import { humanTask } from './human-task.ts';
import { condition, endpoint, subworkflow, template } from './leaves.ts';
import type { ActionType } from './tree.ts';
import { wait } from './wait.ts';

const READERS: { readonly [Type in ActionType]: TypeReader<Type> } = {
  endpoint,
  template,
  condition,
  parallel,
  loop,
  wait,
  humanTask,
  subworkflow,
  dynamicAction,
};

/** How a type is read. */
export function readerOf(type: ActionType): TypeReader<ActionType> {
  return READERS[type];
}
