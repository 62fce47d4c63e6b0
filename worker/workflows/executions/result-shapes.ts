/** What operations on runs answer. Spec: workflows.md §6. */
import * as z from 'zod';
import { JsonValue } from '../../../kinds/members.ts';
import { count, NextCursor, timestamp, uuid } from '../../shapes/members.ts';
import { SAMPLE } from '../../shapes/sample.ts';
import { ACTION, LETTER, RUN, RUN_ENTRY, STANDING } from './examples.ts';
import { ActionStatus, RunStatus } from './schema.ts';

const text = (description: string, example: string) =>
  z.string().meta({ description, examples: [example] });
const value = (description: string) =>
  JsonValue.optional().meta({
    description: `${description}; over 64 KiB \`{"$large": bytes, "href": …}\`. Absent where it is not yours to see`,
  });

const ErrorTold = z
  .looseObject({
    code: text('Of the error table, or one that workflows add', 'CONNECTION_FAILED'),
    message: text(
      'In words for people; absent where values are not yours to see',
      LETTER.error.message,
    ).optional(),
    action: text('Id of the action that failed; empty where it was none', 'reserve').optional(),
  })
  .meta({ description: 'Why it failed', examples: [LETTER.error] });

/** What starting, cancelling, retrying, redriving and forking answer. */
export const RunStanding = z
  .object({
    run_id: uuid('Name of the run', SAMPLE.execution),
    status: RunStatus,
    location: text('Where its record is', STANDING.location),
  })
  .meta({
    id: 'WorkflowRunStanding',
    description: 'A run that goes on by itself',
    examples: [STANDING],
  });

const run = {
  run_id: uuid('Name of the run', SAMPLE.execution),
  workflow: text('Id of the workflow', SAMPLE.workflow),
  version: text('The version that it is pinned to', '1.0.0'),
  key: text('Value of the workflow’s `key`', RUN.key).optional(),
  status: RunStatus,
  trigger: z
    .object({
      type: text(
        '`api`, `schedule`, `event`, `webhook`, `dataChange`, `subworkflow` or `fork`',
        'api',
      ),
      index: z
        .int()
        .optional()
        .meta({ description: 'Of the trigger in the definition', examples: [0] }),
      id: text('Of what started it: a request, an event, a run', SAMPLE.requestId),
    })
    .meta({ description: 'What started it' }),
  started_by: text('Username of who started it', SAMPLE.bruno),
  author: text(
    'Username of whose rights it has, where those are not the starter’s',
    SAMPLE.ada,
  ).optional(),
  parent: uuid('The run whose action began it', SAMPLE.earlier).optional(),
  forked_from: uuid('The run that it is a fork of', SAMPLE.earlier).optional(),
  error: ErrorTold.optional(),
  compensation: z
    .enum(['none', 'complete', 'partial'])
    .optional()
    .meta({ description: 'How far what it did was undone', examples: ['complete'] }),
  started: timestamp('When it began', RUN.started),
  ended: timestamp('When it ended', RUN.ended).optional(),
  duration_ms: count('Milliseconds from its start to its end', RUN.duration_ms).optional(),
};
const values = {
  input: value('What it was given'),
  output: value('What it answered'),
};

/** A run of a list: without actions and values. */
const RunEntry = z.object(run).meta({
  id: 'WorkflowRunEntry',
  description: 'A run, without its actions and values',
  examples: [RUN_ENTRY],
});

/** A page of runs. */
export const RunPage = z
  .object({
    executions: z.array(RunEntry).meta({ description: 'The newest first' }),
    next_cursor: NextCursor,
  })
  .meta({ id: 'WorkflowRunPage', description: 'Runs of a workflow' });

/** One action of a run. */
const ActionTold = z
  .object({
    id: text('As in the definition', ACTION.id),
    path: text('With the numbers of elements and branches', 'each[3].store'),
    type: text('One of the nine', ACTION.type),
    status: ActionStatus,
    attempts: z
      .array(
        z.object({
          started: timestamp('When it began', ACTION.started),
          ended: timestamp('When it ended', ACTION.ended).optional(),
          error: ErrorTold.optional(),
        }),
      )
      .meta({ description: 'In their order' }),
    ...values,
    error: ErrorTold.optional(),
    started: timestamp('When it began', ACTION.started),
    ended: timestamp('When it ended', ACTION.ended).optional(),
    duration_ms: count('Milliseconds from its start to its end', ACTION.duration_ms).optional(),
    by: text('Username of who completed a task', SAMPLE.ada).optional(),
    compensates: text('Path of the action that it undoes', 'reserve').optional(),
  })
  .meta({ id: 'WorkflowActionRecord', description: 'One action of a run', examples: [ACTION] });

/** A run with its first actions. */
export const RunTold = z
  .object({
    ...run,
    ...values,
    actions: z
      .array(ActionTold)
      .meta({ description: 'The first 1,000 in the order of their starts' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'WorkflowRunRecord',
    description: 'A run with its actions',
    examples: [{ ...RUN, actions: [ACTION] }],
  });

/** A page of actions. */
export const ActionPage = z
  .object({
    actions: z.array(ActionTold).meta({ description: 'In the order of their starts' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'WorkflowActionPage',
    description: 'Actions of a run',
    examples: [{ actions: [ACTION], next_cursor: SAMPLE.cursor }],
  });

/** A value of a run. */
export const Whole = JsonValue.meta({
  description: 'The value, whole',
  examples: [RUN.output],
});

const Patch = z.array(z.record(z.string(), JsonValue)).meta({
  description: 'A JSON Patch (RFC 6902) from the one to the other; empty where they are the same',
  examples: [[{ op: 'replace', path: '/quantity', value: 5 }]],
});
const pair = (description: string) =>
  z.array(z.string().nullable()).meta({ description, examples: [['succeeded', 'failed']] });

/** What two runs differ in. */
export const RunDiff = z
  .object({
    same: z.boolean().meta({ description: 'Whether they differ in nothing', examples: [false] }),
    input: Patch.optional(),
    version: pair('The version of the one, and of the other'),
    actions: z
      .array(
        z.object({
          id: text('As in the definition', ACTION.id),
          path: text('With the numbers of elements and branches', ACTION.path),
          status: pair('How it stands in the one, and in the other; null where it did not run'),
          input: Patch.optional(),
          output: Patch.optional(),
          error: Patch.optional(),
        }),
      )
      .meta({ description: 'Those that differ' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'WorkflowRunDiff',
    description: 'What two runs differ in',
    examples: [
      {
        same: false,
        input: [{ op: 'replace', path: '/quantity', value: 5 }],
        version: ['1.0.0', '1.0.0'],
        actions: [{ id: 'reserve', path: 'reserve', status: ['failed', 'succeeded'] }],
      },
    ],
  });

/** What became of many. */
export const Many = z
  .object({
    done: z
      .array(z.string())
      .meta({ description: 'Ids of those that it was done to', examples: [[SAMPLE.execution]] }),
    failed: z
      .array(
        z.object({
          id: text('Of one that it was not done to', SAMPLE.earlier),
          code: text('Why', 'RUN_CONFLICT'),
        }),
      )
      .meta({ description: 'The others' }),
  })
  .meta({
    id: 'WorkflowMany',
    description: 'What became of each',
    examples: [
      { done: [SAMPLE.execution], failed: [{ id: SAMPLE.earlier, code: 'RUN_CONFLICT' }] },
    ],
  });

/** A page of dead letters. */
export const LetterPage = z
  .object({
    dead_letters: z
      .array(
        z.object({
          id: uuid('Name of the dead letter', LETTER.id),
          run_id: uuid('The run that failed', LETTER.run_id),
          workflow: text('Id of the workflow', LETTER.workflow),
          version: text('The version that the run is pinned to', LETTER.version),
          error: ErrorTold,
          failed_action: text('Id of the action that failed', LETTER.failed_action).optional(),
          created: timestamp('When the run failed', LETTER.created),
          expires: timestamp('When it is kept no more', LETTER.expires),
          redriven: timestamp('When it was redriven', SAMPLE.now).optional(),
          state: JsonValue.optional().meta({
            description:
              'Input and outputs of the run, where the workflow keeps them with it; with `more: true` the record of the run has further ones',
          }),
        }),
      )
      .meta({ description: 'The newest first' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'WorkflowDeadLetterPage',
    description: 'Runs that failed',
    examples: [{ dead_letters: [LETTER], next_cursor: SAMPLE.cursor }],
  });

/** One event of a run's watchers: a `run` without its actions, or an `action`. */
export const LiveEvent = z
  .union([RunTold.omit({ actions: true, next_cursor: true }), ActionTold])
  .meta({ description: 'Data of an event `run` or `action`', examples: [ACTION] });
