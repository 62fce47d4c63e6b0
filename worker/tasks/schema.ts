/** Operations on human tasks, as on the wire. Spec: workflows.md §6, `/tasks`. */
import * as z from 'zod';
import { JsonMembers, JsonValue } from '../../kinds/members.ts';
import { oneOfForms } from '../../proto/schema-faults.ts';
import { PageQuery } from '../shapes/cursor.ts';
import { NextCursor, timestamp, uuid } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { shownAs } from '../shapes/shown-as.ts';

const STATUSES = ['open', 'done', 'expired'] as const;
const COMMENT_MAX = 10_000;

/** A task. */
export const TaskPath = z.object({
  task: z
    .string()
    .min(1)
    .meta({ description: 'The `id` of the task', examples: [SAMPLE.task] }),
});

export type TaskPath = z.infer<typeof TaskPath>;

/** Of a list of tasks. */
export const TasksQuery = z.strictObject({
  status: z
    .enum(STATUSES)
    .optional()
    .meta({ description: 'Tasks that stand so', examples: ['open'] }),
  workflow: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: 'Tasks of that workflow, by its id or UUID',
      examples: [SAMPLE.workflow],
    }),
  ...PageQuery.shape,
});
export type TasksQuery = z.infer<typeof TasksQuery>;

const comment = z
  .string()
  .max(COMMENT_MAX, `must have at most ${COMMENT_MAX} characters`)
  .optional()
  .meta({ description: 'In words for people', examples: ['As agreed by phone'] });

/** Of completing a task. */
export const CompleteBody = z
  .union([
    z.strictObject(
      {
        form: shownAs(JsonMembers, z.record(z.string(), JsonValue)).meta({
          description: 'Values of the fields by their ids',
          examples: [{ approved: true }],
        }),
        comment,
      },
      oneOfForms('form', 'reject'),
    ),
    z.strictObject(
      {
        reject: z.literal(true).meta({ description: 'The action fails with `TASK_REJECTED`' }),
        comment,
      },
      oneOfForms('reject', 'form'),
    ),
  ])
  .meta({
    id: 'TaskCompletion',
    description: 'The values of the form, or that the task is rejected',
    examples: [{ form: { approved: true }, comment: 'As agreed by phone' }],
  });
export type CompleteBody = z.infer<typeof CompleteBody>;

/** What completing answers. */
export const Completed = z
  .object({
    message: z.string().meta({ description: 'What was done', examples: ['The task is done'] }),
    id: uuid('Name of the task', SAMPLE.task),
    run_id: uuid('The run that goes on', SAMPLE.execution),
  })
  .meta({ id: 'TaskCompleted', description: 'A task that is over' });

const Task = z
  .object({
    id: uuid('Name of the task', SAMPLE.task),
    workflow: z.string().meta({ description: 'Id of the workflow', examples: [SAMPLE.workflow] }),
    run_id: uuid('The run that waits for it', SAMPLE.execution),
    action: z.string().meta({ description: 'Id of the action', examples: ['approve'] }),
    title: z.string().meta({ description: 'What is asked', examples: ['Approve order 1042'] }),
    description: z
      .string()
      .optional()
      .meta({ description: 'More of it', examples: ['It is above the limit'] }),
    form: z.record(z.string(), JsonValue).meta({
      description: 'Fields, each with `id`, `type`, `label`, `required` and `options`',
      examples: [{ fields: [{ id: 'approved', type: 'boolean', required: true }] }],
    }),
    assignees: z.record(z.string(), JsonValue).meta({
      description: 'Who may complete it: `roles` and `users`',
      examples: [{ roles: ['Admin'] }],
    }),
    status: z.enum(STATUSES).meta({ description: 'How it stands', examples: ['open'] }),
    created: timestamp('When it was opened', SAMPLE.changed),
    due: timestamp('When its time is over', SAMPLE.now).optional(),
    escalated: z.boolean().meta({
      description: 'Whether its time ran out once, and more people may',
      examples: [false],
    }),
    completed_by: z
      .string()
      .optional()
      .meta({ description: 'Username of who completed it', examples: [SAMPLE.ada] }),
    completed: timestamp('When it was over', SAMPLE.now).optional(),
  })
  .meta({ id: 'Task', description: 'Something that a run asks of a person' });

/** A page of tasks. */
export const TaskPage = z
  .object({
    tasks: z.array(Task).meta({ description: 'The newest first' }),
    next_cursor: NextCursor,
  })
  .meta({ id: 'TaskPage', description: 'Tasks that you may complete; Admin sees all' });
