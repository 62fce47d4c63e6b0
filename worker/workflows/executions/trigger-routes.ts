/** Operations on triggers of workflows. Spec: workflows.md §5. */
import { type AnyRoute, route } from '../../route.ts';
import { onWorkflow } from '../access.ts';
import { WorkflowPath } from '../schema.ts';
import { Sample, TriggerList, TriggerPath, TriggerTested } from './trigger-shapes.ts';
import { listTriggers, testTrigger } from './triggers.ts';

export const triggerRoutes: AnyRoute[] = [
  route({
    method: 'GET',
    path: '/workflows/:workflow/triggers',
    summary: 'Show how the triggers of a workflow stand',
    description:
      'Of the version in force, up to a second late. A workflow has at most 10, so there are no pages.',
    tag: 'Workflows',
    errors: [],
    access: onWorkflow('Read'),
    changes: 'nothing',
    params: WorkflowPath,
    reply: 'bare',
    result: TriggerList,
    names: { index: '/triggers/0/index' },
    handle: (ctx, { resource }) => listTriggers(ctx, resource),
  }),
  route({
    method: 'POST',
    path: '/workflows/:workflow/triggers/:index/test',
    summary: 'Try a trigger with a sample',
    description:
      'Answers what its filter and mapping make of the sample, and what of that the schema of the input refuses. Nothing starts, and nothing is read but the sample.',
    tag: 'Workflows',
    errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    access: onWorkflow<TriggerPath>('Read'),
    changes: 'nothing',
    params: TriggerPath,
    body: Sample,
    asWritten: true,
    idempotency: { reads: true },
    reply: 'bare',
    result: TriggerTested,
    handle: (ctx, { resource, params, body }) => testTrigger(ctx, resource, params.index, body),
  }),
];
