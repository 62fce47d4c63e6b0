/** Names of the types of actions. Spec: "Action types". */
import type { ActionType } from './tree.ts';

/** In the order of the specification. */
export const ACTION_TYPES: readonly ActionType[] = [
  'endpoint',
  'template',
  'condition',
  'parallel',
  'loop',
  'wait',
  'humanTask',
  'subworkflow',
  'dynamicAction',
];
