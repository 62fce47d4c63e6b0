/** Operations on dead letters. Spec: workflows.md §6. */
import { type AnyRoute, route } from '../../route.ts';
import { onWorkflow } from '../access.ts';
import { WorkflowPath } from '../schema.ts';
import { listLetters, redrive, redriveMany } from './letters.ts';
import { LetterPage, Many, RunStanding } from './result-shapes.ts';
import { LetterPath, LettersQuery, RedriveManyBody } from './schema.ts';

export const letterRoutes: AnyRoute[] = [
  route({
    method: 'GET',
    path: '/workflows/:workflow/dead-letters',
    summary: 'List the dead letters of a workflow',
    description: 'Runs that failed, the newest first. All filters that are given hold.',
    tag: 'Workflows',
    errors: [],
    access: onWorkflow('Read', { deleted: true }),
    changes: 'nothing',
    params: WorkflowPath,
    query: LettersQuery,
    reply: 'bare',
    result: LetterPage,
    names: { letter: '/dead_letters/0/id', cursor: '/next_cursor' },
    handle: (ctx, { resource, query }) => listLetters(ctx, resource, query),
  }),
  route({
    method: 'POST',
    path: '/workflows/:workflow/dead-letters/:letter/redrive',
    summary: 'Redrive a dead letter',
    description: 'Its run goes on as by `retry`; once for each dead letter.',
    tag: 'Workflows',
    errors: [
      'RUN_NOT_FOUND',
      'RUN_CONFLICT',
      'DEAD_LETTER_NOT_FOUND',
      'DEAD_LETTER_SPENT',
      'TEMPLATE_FAILED',
      'ENDPOINT_NOT_FOUND',
      'TEMPLATE_NOT_FOUND',
    ],
    access: onWorkflow<LetterPath>('Write', { deleted: true }),
    changes: 'backend',
    params: LetterPath,
    reply: 'bare',
    result: RunStanding,
    accepted: RunStanding,
    names: { execution: '/run_id' },
    handle: (ctx, { resource, params, demands }) => redrive(ctx, resource, params.letter, demands),
  }),
  route({
    method: 'POST',
    path: '/workflows/:workflow/dead-letters/redrive',
    summary: 'Redrive many dead letters',
    description: 'By their ids, or those that a filter finds; up to 1,000.',
    tag: 'Workflows',
    errors: [],
    access: onWorkflow('Write', { deleted: true }),
    changes: 'backend',
    params: WorkflowPath,
    body: RedriveManyBody,
    reply: 'bare',
    result: Many,
    handle: (ctx, { resource, body, demands }) => redriveMany(ctx, resource, body, demands),
  }),
];
