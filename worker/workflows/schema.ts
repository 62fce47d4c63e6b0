/** Paths, queries and bodies of the operations on workflows, as on the wire. Spec: "Workflow", "Workflows". */
import * as z from 'zod';
import { JsonMembers, JsonValue } from '../../kinds/members.ts';
import type { JsonObject } from '../../proto/json.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { shownAs } from '../shapes/shown-as.ts';
import { Description, Name, RunAs, VersionName } from '../templates/schema.ts';
import { ActionShape } from './action-shape.ts';
import { type DefinitionMember, WorkflowId } from './definition/read.ts';
import { CREATE, INSERT, PATCH } from './examples.ts';

/** Parameter of every path below `/workflows/{workflow}`. */
export const WorkflowPath = z.object({
  workflow: z
    .string()
    .min(1)
    .meta({ description: "The workflow's id or UUID", examples: [SAMPLE.workflow] }),
});

const object = (description: string, example: JsonObject) =>
  z
    .record(z.string(), JsonValue)
    .meta({ description, examples: [example as z.core.util.JSONType] });

/** Whether anything starts it. */
export const Status = z.enum(['active', 'paused']).meta({
  description: 'Of a paused one nothing starts; what runs goes on',
  examples: ['active'],
});

const Triggers = z
  .union([
    object('A trigger: `type` is `api`, `schedule`, `event`, `webhook` or `dataChange`', {
      type: 'schedule',
      schedule: '0 9 * * 1-5',
      timezone: 'Europe/Berlin',
    }),
    z.array(object('A trigger', { type: 'api' })).meta({ description: 'Up to 10 of them' }),
  ])
  .meta({ description: 'What starts runs; a caller with Write may in any case' });

/** Members of a definition except those that every one has. */
export const ofDefinition = {
  trigger: Triggers.optional(),
  input: z
    .strictObject({
      schema: JsonValue.optional().meta({
        description: 'JSON Schema that the input must fit',
        examples: [CREATE.input.schema],
      }),
    })
    .optional()
    .meta({ description: 'What a run is started with', examples: [CREATE.input] }),
  key: z
    .string()
    .optional()
    .meta({ description: 'Over `$.input`: a name of the run', examples: [CREATE.key] }),
  start: z
    .string()
    .optional()
    .meta({
      description: 'Id of the first action; else the first of the list',
      examples: ['load'],
    }),
  output: JsonValue.optional().meta({
    description: 'A value: what a run answers',
    examples: ['$.actions.summary.output'],
  }),
  runAs: RunAs.optional(),
  errorHandler: object('What is done when an action fails', {
    default: { retry: { maxAttempts: 3 } },
  }).optional(),
  executionSettings: object(
    '`timeout`, `maxConcurrency`, `concurrencyKey` and `retention` have an effect',
    { timeout: 'PT1H' },
  ).optional(),
  humanInteraction: object('Kept as it is', { channel: 'mail' }).optional(),
  monitoring: object('Kept as it is', { owner: 'shop' }).optional(),
  collaboration: object('Kept as it is', { team: 'shop' }).optional(),
  documentation: object('Kept as it is', { url: 'https://example.com' }).optional(),
};

/** Its actions, in order or as a graph. */
export const Actions = z.array(ActionShape).meta({
  description: 'What is done: by `next`, or as a graph by `after`',
  examples: [CREATE.actions],
});

/** Definition shape of a new workflow. */
const DefinitionInput = z
  .strictObject({
    id: WorkflowId.optional().meta({
      description: 'Id of your choice; left out, the name in lower case with hyphens',
      examples: [SAMPLE.workflow],
    }),
    name: Name.meta({ examples: [CREATE.name] }),
    description: Description.default('').meta({ examples: [CREATE.description] }),
    version: VersionName.default('1.0.0'),
    status: Status.default('active'),
    ...ofDefinition,
    actions: Actions,
  } satisfies Record<DefinitionMember, z.ZodType>)
  .meta({ id: 'WorkflowInput', description: 'A new workflow', examples: [CREATE] });

/** Insert shape of a new workflow. */
const InsertInput = z
  .strictObject({
    org_uuid: z
      .string()
      .optional()
      .meta({ description: "The organization's UUID", examples: [SAMPLE.orgUuid] }),
    workflow_schema: object('A definition, or `{id?, dag: {nodes}}`', INSERT.workflow_schema),
  })
  .meta({ id: 'WorkflowInsert', description: 'A graph of templates', examples: [INSERT] });

/** Of POST; held to one of the shapes when it is read. */
export const CreateBody = shownAs(JsonMembers, z.union([DefinitionInput, InsertInput])).meta({
  description: 'A new workflow, in one of two shapes',
});

/** The shape, described as it was, or null. */
function orNull(shape: z.ZodOptional) {
  const inner = shape.unwrap();
  const { description, examples } = {
    ...(inner instanceof z.ZodType ? inner.meta() : {}),
    ...shape.meta(),
  };
  return shape.nullable().meta({ description: description ?? '', examples: examples ?? [] });
}

/** Of PATCH; each member that is given replaces the whole one. */
export const PatchBody = shownAs(
  JsonMembers,
  z
    .strictObject({
      name: Name.optional(),
      description: Description.optional(),
      version: VersionName.optional(),
      status: Status.optional(),
      actions: Actions.optional(),
      ...Object.fromEntries(
        Object.entries(ofDefinition).map(([name, shape]) => [name, orNull(shape)]),
      ),
    })
    .meta({
      id: 'WorkflowPatch',
      description: 'Members that are given replace the whole ones; the rest stays. Null removes',
      examples: [PATCH],
    }),
).meta({ description: 'What the new version has otherwise; a status alone makes none' });

/** Whether it may go although runs are active. */
export const DeleteQuery = z.strictObject({
  confirm: z
    .enum(['true', 'false'])
    .optional()
    .meta({
      description: 'Deletes it although others use it, and cancels its active runs',
      examples: ['true'],
    }),
});

/** Which version is meant. */
export const VersionQuery = z.strictObject({
  version: VersionName.optional().meta({
    description: 'The version that is meant; left out, the one in force',
    examples: ['1.0.0'],
  }),
});
