/** A run of the shop's workflow, as the API's description shows it. */
import { SAMPLE } from '../../shapes/sample.ts';

/** One action of it. */
export const ACTION = {
  id: 'reserve',
  path: 'reserve',
  type: 'endpoint',
  status: 'succeeded',
  attempts: [{ started: '2026-03-09T14:02:11.480Z', ended: '2026-03-09T14:02:11.495Z' }],
  input: {
    query: 'update stock set reserved = reserved + $1 where sku = $2',
    params: [20, 'swan-1'],
  },
  output: { rows: [], row_count: 1 },
  started: '2026-03-09T14:02:11.480Z',
  ended: '2026-03-09T14:02:11.495Z',
  duration_ms: 15,
};

/** The run as lists show it: without its actions and values. */
export const RUN_ENTRY = {
  run_id: SAMPLE.execution,
  workflow: SAMPLE.workflow,
  version: '1.0.0',
  key: 'order-1042',
  status: 'succeeded',
  trigger: { type: 'api', id: SAMPLE.requestId },
  started_by: SAMPLE.bruno,
  started: '2026-03-09T14:02:11.480Z',
  ended: '2026-03-09T14:02:11.495Z',
  duration_ms: 15,
};

/** The run without its actions. */
export const RUN = {
  ...RUN_ENTRY,
  input: { sku: 'swan-1', quantity: 20 },
  output: { rows: [], row_count: 1 },
};

/** What starting and steering answer. */
export const STANDING = {
  run_id: SAMPLE.execution,
  status: 'running',
  location: `/api/v1/workflows/${SAMPLE.workflow}/executions/${SAMPLE.execution}`,
};

/** A dead letter. */
export const LETTER = {
  id: SAMPLE.letter,
  run_id: SAMPLE.execution,
  workflow: SAMPLE.workflow,
  version: '1.0.0',
  error: {
    code: 'CONNECTION_FAILED',
    message: 'Unable to connect to database: connection refused',
    action: 'reserve',
  },
  failed_action: 'reserve',
  created: SAMPLE.changed,
  expires: '2026-04-08T14:02:11.480Z',
};
