/** Operations on human tasks. Spec: workflows.md §6. */
import { type Access, anyMember } from '../access/access.ts';
import { type AnyRoute, route } from '../route.ts';
import { completeTask } from './complete.ts';
import { listTasks } from './list.ts';
import { CompleteBody, Completed, TaskPage, TaskPath, TasksQuery } from './schema.ts';

/** Who may is for the task to say. */
const onTask: Access<TaskPath, undefined> = {
  ...anyMember,
  find: (ctx) => anyMember.find(ctx, {}),
};

export const taskRoutes: AnyRoute[] = [
  route({
    method: 'GET',
    path: '/tasks',
    summary: 'List the tasks that are for you, open and ended',
    description:
      'With `status=open` those that wait; without `status` those that are done or expired, too. The newest first, up to a second late. Admin of a workflow sees all of its tasks. Of many tasks of others a page may have few, and a `next_cursor`.',
    tag: 'Workflows',
    errors: ['WORKFLOW_NOT_FOUND'],
    access: anyMember,
    changes: 'nothing',
    query: TasksQuery,
    reply: 'bare',
    result: TaskPage,
    names: { task: '/tasks/0/id', cursor: '/next_cursor' },
    handle: (ctx, { policy, query }) => listTasks(ctx, policy, query),
  }),
  route({
    method: 'POST',
    path: '/tasks/:task/complete',
    summary: 'Complete a task, or reject it',
    description:
      'For its assignees, whatever their level. The values are checked against the form; every field that is wrong is told.',
    tag: 'Workflows',
    errors: ['TASK_NOT_FOUND', 'TASK_CLOSED', 'FORBIDDEN'],
    access: onTask,
    changes: 'backend',
    params: TaskPath,
    body: CompleteBody,
    asWritten: true,
    reply: 'bare',
    result: Completed,
    names: { execution: '/run_id' },
    handle: (ctx, { policy, params, body }) => completeTask(ctx, policy, params.task, body),
  }),
];
