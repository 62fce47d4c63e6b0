/** Operations on runs of workflows. Spec: workflows.md §6. */
import * as z from 'zod';
import { type AnyRoute, route } from '../../route.ts';
import { onWorkflow } from '../access.ts';
import { WorkflowPath } from '../schema.ts';
import { ActionPage, RunStanding, RunTold, Whole } from './result-shapes.ts';
import { ActionsQuery, ExecutionPath, Input, StartQuery, ValuePath } from './schema.ts';
import { showActions, showRun, showValue } from './show.ts';
import { startWorkflow } from './start.ts';

const KEY_HEADERS = z.object({
  'Idempotency-Key': z
    .string()
    .optional()
    .meta({
      description:
        'Names the run: a repeat with the same key and body answers that run, also while it runs',
      examples: ['order-1042'],
    }),
});

export const executionRoutes: AnyRoute[] = [
  route({
    method: 'POST',
    path: '/workflows/:workflow',
    summary: 'Start a run of a workflow',
    description:
      'Answers 202 at once, or with `?synchronous=true` the record of the run, whatever its status, if it ends within 30 seconds. Needs on everything that the definition names what the action needs there; each action asks again.',
    tag: 'Workflows',
    errors: [
      'WORKFLOW_PAUSED',
      'QUOTA_EXCEEDED',
      'IDEMPOTENCY_KEY_REUSED',
      'TEMPLATE_FAILED',
      'ENDPOINT_NOT_FOUND',
      'TEMPLATE_NOT_FOUND',
    ],
    headers: KEY_HEADERS,
    access: onWorkflow('Write'),
    changes: 'backend',
    params: WorkflowPath,
    query: StartQuery,
    body: Input,
    idempotency: 'ignored',
    reply: 'bare',
    result: RunTold,
    accepted: RunStanding,
    names: { execution: '/run_id' },
    handle: (ctx, { resource, query, body: input, bytes, header }) =>
      startWorkflow(ctx, resource, { query, input, bytes, header }),
  }),
  route({
    method: 'GET',
    path: '/workflows/:workflow/executions/:execution',
    summary: 'Show a run with its actions',
    description:
      'Values are told to who started it, to Admin, and to who may read every endpoint that it reached; others see status and times.',
    tag: 'Workflows',
    errors: ['RUN_NOT_FOUND'],
    access: onWorkflow<ExecutionPath>('Read', { deleted: true }),
    changes: 'nothing',
    params: ExecutionPath,
    reply: 'bare',
    result: RunTold,
    handle: (ctx, { resource, params }) => showRun(ctx, resource, params.execution),
  }),
  route({
    method: 'GET',
    path: '/workflows/:workflow/executions/:execution/actions',
    summary: 'List the actions of a run',
    description: 'In the order of their starts. All filters that are given hold.',
    tag: 'Workflows',
    errors: ['RUN_NOT_FOUND'],
    access: onWorkflow<ExecutionPath>('Read', { deleted: true }),
    changes: 'nothing',
    params: ExecutionPath,
    query: ActionsQuery,
    reply: 'bare',
    result: ActionPage,
    names: { cursor: '/next_cursor' },
    handle: (ctx, { resource, params, query }) =>
      showActions(ctx, resource, params.execution, query),
  }),
  route({
    method: 'GET',
    path: '/workflows/:workflow/executions/:execution/values/:value',
    summary: 'Get a large value of a run, whole',
    description: 'Where a record has `{"$large": bytes, "href": …}`, the `href` leads here.',
    tag: 'Workflows',
    errors: ['RUN_NOT_FOUND', 'NOT_FOUND'],
    access: onWorkflow<ValuePath>('Read', { deleted: true }),
    changes: 'nothing',
    params: ValuePath,
    reply: 'bare',
    result: Whole,
    handle: (ctx, { resource, params }) =>
      showValue(ctx, resource, params.execution, Number(params.value)),
  }),
];
