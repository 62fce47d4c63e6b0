/** Codes with which actions fail, besides those of the error table. Spec: workflows.md §4. */
import { ERRORS } from '../../../proto/errors.ts';

/** Codes that actions have of their own. */
const ACTION_CODES = [
  'INVALID_INPUT',
  'NO_OPTION',
  'TIMED_OUT',
  'CANCELLED',
  'EXPRESSION_FAILED',
  'TASK_REJECTED',
  'UPSTREAM_STATUS',
  'WORKFLOW_PAUSED',
] as const;

/** What `retryableErrors` may name besides codes: all, and what may go away by itself. */
const CODE_GROUPS = ['*', 'TRANSIENT'] as const;

/** Whatever `retryableErrors` may name. */
export const RETRYABLE: readonly string[] = [
  ...new Set([...CODE_GROUPS, ...ACTION_CODES, ...Object.keys(ERRORS)]),
];
