/** What the operations on workflows answer. Spec: "Workflow", results; workflows.md §6. */
import * as z from 'zod';
import { JsonValue } from '../../kinds/members.ts';
import { count, message, NextCursor, timestamp } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { Description, Name, VersionName } from '../templates/schema.ts';
import { CREATE, DETAIL } from './examples.ts';
import { Actions, ofDefinition, Status } from './schema.ts';

const identity = {
  id: z.string().meta({ description: "The workflow's chosen id", examples: [SAMPLE.workflow] }),
  name: Name.meta({ examples: [CREATE.name] }),
  version: VersionName,
};

/** What creating answers. */
export const Created = z
  .object({ ...identity, message: message(`Workflow ${SAMPLE.workflow} created`) })
  .meta({
    id: 'WorkflowCreated',
    description: 'The workflow can be started at once',
    examples: [
      {
        id: SAMPLE.workflow,
        name: CREATE.name,
        version: '1.0.0',
        message: `Workflow ${SAMPLE.workflow} created`,
      },
    ],
  });

/** What a PATCH answers. */
export const Updated = Created.extend({
  updatedFields: z
    .array(z.string())
    .meta({ description: 'Members that are otherwise', examples: [['status']] }),
}).meta({
  id: 'WorkflowUpdated',
  description: 'The workflow as it is from now on',
  examples: [
    {
      id: SAMPLE.workflow,
      name: CREATE.name,
      version: '1.0.0',
      message: `Workflow ${SAMPLE.workflow} is paused`,
      updatedFields: ['status'],
    },
  ],
});

/** What deleting answers. */
export const Deleted = z
  .object({
    message: message(`Workflow ${SAMPLE.workflow} deleted`),
    id: identity.id,
    activeInstances: count('Runs that were active', 0),
    terminationStatus: z.enum(['none', 'cancelling']).meta({
      description: '`cancelling` while active runs undo what they did',
      examples: ['none'],
    }),
  })
  .meta({
    id: 'WorkflowDeleted',
    description: 'All its versions are gone; its runs are readable by its UUID until they go',
    examples: [
      {
        message: `Workflow ${SAMPLE.workflow} deleted`,
        id: SAMPLE.workflow,
        activeInstances: 0,
        terminationStatus: 'none',
      },
    ],
  });

const rate = z
  .number()
  .min(0)
  .max(1)
  .meta({
    description: 'Of the runs that ended, the part that succeeded; 0 without any',
    examples: [0.975],
  });
const detail = {
  uuid: z.string().meta({
    description: 'By which its runs are read once it is deleted',
    examples: [SAMPLE.workflowUuid],
  }),
  status: Status,
  created: timestamp('When it was created', SAMPLE.created),
  createdBy: z.string().meta({ description: 'By whom', examples: [SAMPLE.ada] }),
  lastModified: timestamp('When it was changed last', SAMPLE.changed),
  lastModifiedBy: z.string().meta({ description: 'By whom', examples: [SAMPLE.ada] }),
  execution: z
    .object({
      totalExecutions: count('Runs so far, active ones too', DETAIL.execution.totalExecutions),
      successRate: rate,
      averageDuration: count('Milliseconds of a run that ended', DETAIL.execution.averageDuration),
      last24Hours: z
        .object({ executions: count('Runs that began', 12), successRate: rate })
        .meta({ description: 'Of the last 24 hours' }),
    })
    .meta({ description: 'What became of its runs, up to a second late' }),
  versions: z
    .array(
      z.object({
        version: VersionName,
        created: timestamp('When it was made', SAMPLE.created),
        active: z
          .boolean()
          .meta({ description: 'Whether it is the one in force', examples: [true] }),
      }),
    )
    .meta({ description: 'All versions, the newest first' }),
};

/** A workflow with all that may be shown of it. */
export const WorkflowDetail = z
  .object({ ...identity, description: Description, ...ofDefinition, ...detail })
  .extend({
    actions: Actions,
    workflow_schema: z
      .record(z.string(), JsonValue)
      .optional()
      .meta({
        description: 'As it was given in the insert shape',
        examples: [{ dag: { nodes: {} } }],
      }),
  })
  .meta({
    id: 'WorkflowDetail',
    description: 'The definition, without secrets, and what became of it',
    examples: [DETAIL],
  });

/** A page of workflows, by id. */
export const WorkflowPage = z
  .object({
    workflows: z
      .array(
        z.object({
          ...identity,
          status: Status,
          created: detail.created,
          lastModified: detail.lastModified,
        }),
      )
      .meta({ description: 'Those that you may read, in the order of their ids' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'WorkflowPage',
    description: 'A page of the workflows that you may read',
    examples: [
      {
        workflows: [
          {
            id: SAMPLE.workflow,
            name: CREATE.name,
            version: '1.0.0',
            status: 'active',
            created: SAMPLE.created,
            lastModified: SAMPLE.changed,
          },
        ],
        next_cursor: SAMPLE.cursor,
      },
    ],
  });
