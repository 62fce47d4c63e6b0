/** Operations on runs of workflows. Spec: workflows.md §6. */
import * as z from 'zod';
import { badRequest } from '../../../proto/errors.ts';
import { type AnyRoute, route } from '../../route.ts';
import { onWorkflow } from '../access.ts';
import { WorkflowPath } from '../schema.ts';
import { diffRuns } from './diff.ts';
import { forkRun } from './fork.ts';
import { listRuns } from './list.ts';
import { liveEvents } from './live.ts';
import {
  ActionPage,
  LiveEvent,
  Many,
  RunDiff,
  RunPage,
  RunStanding,
  RunTold,
  Whole,
} from './result-shapes.ts';
import {
  ActionsQuery,
  CancelManyBody,
  DiffQuery,
  EVENT_ID,
  EventsQuery,
  ExecutionPath,
  ForkBody,
  Input,
  ListQuery,
  NO_EVENT,
  StartQuery,
  ValuePath,
} from './schema.ts';
import { showActions, showRun, showValue } from './show.ts';
import { startWorkflow } from './start.ts';
import { cancelMany, cancelRun, retryRun } from './steer.ts';

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

const LAST_EVENT = z.object({
  'Last-Event-ID': z
    .string()
    .optional()
    .meta({ description: 'Id of the last event that you have', examples: ['17'] }),
});
/** What rights on the things that a definition names may be refused with. */
const REACHED = ['TEMPLATE_FAILED', 'ENDPOINT_NOT_FOUND', 'TEMPLATE_NOT_FOUND'] as const;

/**
 * After which event to go on: the header is what a browser sends by itself.
 * @throws GatewayError BAD_REQUEST for a header that is no id of an event
 */
function lastEvent({ after }: EventsQuery, header: string | undefined): number {
  if (!header) return Number(after ?? 0);
  if (!EVENT_ID.test(header)) throw badRequest('Last-Event-ID', NO_EVENT);
  return Number(header);
}

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
      ...REACHED,
      'SERVICE_UNAVAILABLE',
    ],
    headers: KEY_HEADERS,
    access: onWorkflow('Write'),
    changes: 'backend',
    params: WorkflowPath,
    query: StartQuery,
    body: Input,
    asWritten: true,
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
      'Values are shown to the caller who started it, to Admin, and to callers who may read every endpoint that it reached; others see status and times.',
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
  route({
    method: 'GET',
    path: '/workflows/:workflow/executions',
    summary: 'List the runs of a workflow',
    description: 'The newest first, up to a second late. All filters that are given hold.',
    tag: 'Workflows',
    errors: [],
    access: onWorkflow('Read', { deleted: true }),
    changes: 'nothing',
    params: WorkflowPath,
    query: ListQuery,
    reply: 'bare',
    result: RunPage,
    names: { execution: '/executions/0/run_id', cursor: '/next_cursor' },
    handle: (ctx, { resource, query }) => listRuns(ctx, resource, query),
  }),
  route({
    method: 'GET',
    path: '/workflows/:workflow/executions/:execution/events',
    summary: 'Watch a run',
    description:
      'Server-sent events `run` and `action` with data as in the record; ends with the run. `Last-Event-ID` goes on after that event.',
    tag: 'Workflows',
    errors: ['RUN_NOT_FOUND'],
    headers: LAST_EVENT,
    access: onWorkflow<ExecutionPath>('Read', { deleted: true }),
    changes: 'nothing',
    params: ExecutionPath,
    query: EventsQuery,
    reply: 'bare',
    result: RunTold,
    streams: { 'text/event-stream': LiveEvent },
    handle: (ctx, { resource, params, query, header }) =>
      liveEvents(ctx, resource, params.execution, lastEvent(query, header('Last-Event-ID'))),
  }),
  route({
    method: 'POST',
    path: '/workflows/:workflow/executions/:execution/cancel',
    summary: 'Cancel a run',
    description:
      'Waits end at once, a call in flight is let end, and what was done is compensated.',
    tag: 'Workflows',
    errors: ['RUN_NOT_FOUND', 'RUN_CONFLICT'],
    access: onWorkflow<ExecutionPath>('Write', { deleted: true }),
    changes: 'backend',
    params: ExecutionPath,
    reply: 'bare',
    result: RunStanding,
    accepted: RunStanding,
    names: { execution: '/run_id' },
    handle: (ctx, { resource, params }) => cancelRun(ctx, resource, params.execution),
  }),
  route({
    method: 'POST',
    path: '/workflows/:workflow/executions/:execution/retry',
    summary: 'Retry a run that failed or was cancelled',
    description:
      'The same run goes on with the actions that failed or were cut off; what succeeded is kept. Needs all rights of the run: on what the versions that it keeps and its subworkflows name, now and at each action.',
    tag: 'Workflows',
    errors: ['RUN_NOT_FOUND', 'RUN_CONFLICT', ...REACHED],
    access: onWorkflow<ExecutionPath>('Write', { deleted: true }),
    changes: 'backend',
    params: ExecutionPath,
    reply: 'bare',
    result: RunStanding,
    accepted: RunStanding,
    names: { execution: '/run_id' },
    handle: (ctx, { resource, params, demands }) =>
      retryRun(ctx, resource, params.execution, demands),
  }),
  route({
    method: 'POST',
    path: '/workflows/:workflow/executions/:execution/fork',
    summary: 'Fork a run',
    description:
      'A new run that keeps the outputs of all actions before `from`; with another input, or another version whose actions before it are the same.',
    tag: 'Workflows',
    errors: ['RUN_NOT_FOUND', 'RUN_CONFLICT', 'WORKFLOW_PAUSED', 'QUOTA_EXCEEDED', ...REACHED],
    access: onWorkflow<ExecutionPath>('Write'),
    changes: 'backend',
    params: ExecutionPath,
    body: ForkBody,
    asWritten: true,
    reply: 'bare',
    result: RunStanding,
    accepted: RunStanding,
    names: { execution: '/run_id' },
    handle: (ctx, { resource, params, body, demands }) =>
      forkRun(ctx, resource, params.execution, body, demands),
  }),
  route({
    method: 'GET',
    path: '/workflows/:workflow/executions/:execution/diff',
    summary: 'Compare two runs of a workflow',
    description: 'Differences as JSON Patches (RFC 6902) from the run to that of `?with=`.',
    tag: 'Workflows',
    errors: ['RUN_NOT_FOUND'],
    access: onWorkflow<ExecutionPath>('Read', { deleted: true }),
    changes: 'nothing',
    params: ExecutionPath,
    query: DiffQuery,
    reply: 'bare',
    result: RunDiff,
    names: { cursor: '/next_cursor' },
    handle: (ctx, { resource, params, query }) => diffRuns(ctx, resource, params.execution, query),
  }),
  route({
    method: 'POST',
    path: '/workflows/:workflow/executions/cancel',
    summary: 'Cancel many runs',
    description: 'By their ids, or those that a filter finds and that have not ended; up to 1,000.',
    tag: 'Workflows',
    errors: [],
    access: onWorkflow('Write', { deleted: true }),
    changes: 'backend',
    params: WorkflowPath,
    body: CancelManyBody,
    reply: 'bare',
    result: Many,
    handle: (ctx, { resource, body }) => cancelMany(ctx, resource, body),
  }),
];
