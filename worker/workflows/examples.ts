/** The workflows that examples of the description are about. */
import { SAMPLE } from '../shapes/sample.ts';

/** A definition: an order is read, and if it is paid, it is shipped. */
export const CREATE = {
  id: SAMPLE.workflow,
  name: 'Ship order',
  description: 'Ships an order once it is paid',
  version: '1.0.0',
  trigger: { type: 'api', synchronous: true },
  input: {
    schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  },
  key: '$.input.id',
  actions: [
    {
      id: 'load',
      type: 'endpoint',
      endpoint: SAMPLE.endpoint,
      operation: 'read',
      input: { query: 'SELECT status FROM orders WHERE id = $1', params: ['$.input.id'] },
      next: 'paid',
    },
    {
      id: 'paid',
      type: 'condition',
      condition: "$.actions.load.output.rows[0]?.status === 'paid'",
      true: 'ship',
      false: null,
    },
    {
      id: 'ship',
      type: 'endpoint',
      endpoint: SAMPLE.endpoint,
      operation: 'write',
      input: {
        query: "UPDATE orders SET status = 'shipped' WHERE id = $1",
        params: ['$.input.id'],
      },
    },
  ],
  output: {
    id: '$.input.id',
    status: "$($.actions.paid.output ? 'shipped' : $.actions.load.output.rows[0]?.status)",
  },
  errorHandler: {
    default: { retry: { maxAttempts: 3, initialInterval: 1, retryableErrors: ['TRANSIENT'] } },
  },
};

const FIRST = '6f1c2d3e-4b5a-4c6d-8e7f-90a1b2c3d4e5';
const SECOND = '7a2d3e4f-5c6b-4d7e-9f80-a1b2c3d4e5f6';

/** The insert shape: two templates, one after the other. */
export const INSERT = {
  org_uuid: SAMPLE.orgUuid,
  workflow_schema: {
    id: 'summaries',
    dag: {
      nodes: {
        [FIRST]: { id: FIRST, source: [], children: [SECOND], template_uuid: SAMPLE.template },
        [SECOND]: {
          id: SECOND,
          source: [FIRST],
          children: [],
          template_uuid: 'order-report',
          input_op: '({orders: [$]})',
        },
      },
    },
  },
};

/** A workflow as it is told. */
export const DETAIL = {
  ...CREATE,
  uuid: SAMPLE.workflowUuid,
  status: 'active',
  created: SAMPLE.created,
  createdBy: SAMPLE.ada,
  lastModified: SAMPLE.created,
  lastModifiedBy: SAMPLE.ada,
  execution: {
    totalExecutions: 120,
    successRate: 0.975,
    averageDuration: 340,
    last24Hours: { executions: 12, successRate: 1 },
  },
  versions: [{ version: '1.0.0', created: SAMPLE.created, active: true }],
};

/** Nothing starts any more. */
export const PATCH = { status: 'paused' };
