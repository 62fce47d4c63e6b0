/** Paths, queries and bodies of the operations on runs, as on the wire. Spec: workflows.md §6. */
import * as z from 'zod';
import { JsonValue } from '../../../kinds/members.ts';
import { meantName } from '../../../proto/near-name.ts';
import { PageQuery } from '../../shapes/cursor.ts';
import { GivenTime } from '../../shapes/members.ts';
import { SAMPLE } from '../../shapes/sample.ts';
import { VersionQuery, WorkflowPath } from '../schema.ts';

const RUN_STATUSES = [
  'queued',
  'running',
  'waiting',
  'compensating',
  'succeeded',
  'failed',
  'cancelled',
] as const;
const ACTION_STATUSES = [
  'running',
  'waiting',
  'retrying',
  'succeeded',
  'failed',
  'cancelled',
  'compensated',
] as const;

/** The state of a run. */
export const RunStatus = z
  .enum(RUN_STATUSES)
  .meta({ description: 'How the run stands', examples: ['succeeded'] });
/** The state of an action. */
export const ActionStatus = z
  .enum(ACTION_STATUSES)
  .meta({ description: 'How the action stands', examples: ['succeeded'] });

/** A run below a workflow. */
export const ExecutionPath = WorkflowPath.extend({
  execution: z
    .string()
    .min(1)
    .meta({ description: 'The `run_id` of the run', examples: [SAMPLE.execution] }),
});
export type ExecutionPath = z.infer<typeof ExecutionPath>;

/** A value below a run. */
export const ValuePath = ExecutionPath.extend({
  value: z.string().meta({ description: 'As the `href` of a large value ends', examples: ['42'] }),
});
export type ValuePath = z.infer<typeof ValuePath>;

/** A dead letter below a workflow. */
export const LetterPath = WorkflowPath.extend({
  letter: z
    .string()
    .min(1)
    .meta({ description: 'The `id` of the dead letter', examples: [SAMPLE.letter] }),
});
export type LetterPath = z.infer<typeof LetterPath>;

/** Of a start. */
export const StartQuery = z.strictObject({
  ...VersionQuery.shape,
  synchronous: z
    .enum(['true', 'false'])
    .optional()
    .meta({
      description:
        'Whether the end is waited for, for 30 seconds at most; left out, as the trigger `api` says',
      examples: ['true'],
    }),
});
export type StartQuery = z.infer<typeof StartQuery>;

/** The input of a run. */
export const Input = JsonValue.meta({
  description: 'The input: an object that fits `input.schema`',
  examples: [{ sku: 'swan-1', quantity: 20 }],
});

/** In one spelling: a cursor is of its filters, however they are written. */
const Time = (description: string) =>
  GivenTime.overwrite((text) =>
    Number.isNaN(Date.parse(text)) ? text : new Date(text).toISOString(),
  )
    .optional()
    .meta({ description, examples: ['2026-03-09T00:00:00Z'] });

const filters = {
  status: z
    .enum(RUN_STATUSES)
    .optional()
    .meta({ description: 'Runs that stand so', examples: ['failed'] }),
  trigger: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: 'What started them: `api`, `subworkflow`, `fork`, … , or the index of a trigger',
      examples: ['api'],
    }),
  version: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Runs of that version', examples: ['1.0.0'] }),
  key: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Runs whose `key` is that', examples: ['order-1042'] }),
  since: Time('Runs that began then or later'),
  until: Time('Runs that began before then'),
  parent: z
    .uuid()
    .toLowerCase()
    .optional()
    .meta({ description: 'Runs that an action of that run began', examples: [SAMPLE.execution] }),
};

/** Which runs are meant. */
export const Filter = z.strictObject(filters);
export type Filter = z.infer<typeof Filter>;

/** Of a list of runs. */
export const ListQuery = z.strictObject({ ...filters, ...PageQuery.shape });
export type ListQuery = z.infer<typeof ListQuery>;

/** Of a list of actions. */
export const ActionsQuery = z.strictObject({
  path: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'That action, and all below it', examples: ['each[3]'] }),
  status: z
    .enum(ACTION_STATUSES)
    .optional()
    .meta({ description: 'Actions that stand so', examples: ['failed'] }),
  ...PageQuery.shape,
});
export type ActionsQuery = z.infer<typeof ActionsQuery>;

/** The id of a live event. */
export const EVENT_ID = /^\d{1,15}$/;
/** What is told of another text. */
export const NO_EVENT = 'must be the id of an event';

/** Of live events: those after this one are sent. */
export const EventsQuery = z.strictObject({
  after: z
    .string()
    .regex(EVENT_ID, NO_EVENT)
    .optional()
    .meta({ description: 'As the header `Last-Event-ID`', examples: ['17'] }),
});
export type EventsQuery = z.infer<typeof EventsQuery>;

/** Of a fork. */
export const ForkBody = z
  .strictObject({
    from: z
      .string()
      .min(1)
      .meta({
        description: 'Id of the action of the top level where it begins',
        examples: ['reserve'],
      }),
    input: JsonValue.optional().meta({
      description: 'Another input; left out, it is that of the run',
      examples: [{ sku: 'swan-1', quantity: 5 }],
    }),
    version: z
      .string()
      .min(1)
      .optional()
      .meta({
        description: 'Another version, whose actions before `from` are the same',
        examples: ['1.1.0'],
      }),
  })
  .meta({
    id: 'WorkflowFork',
    description: 'Where a fork begins',
    examples: [{ from: 'reserve' }],
  });
export type ForkBody = z.infer<typeof ForkBody>;

/** Of a diff. */
export const DiffQuery = z.strictObject({
  with: z
    .string()
    .min(1)
    .toLowerCase()
    .meta({ description: 'The `run_id` of the other run', examples: [SAMPLE.earlier] }),
  ...PageQuery.shape,
});
export type DiffQuery = z.infer<typeof DiffQuery>;

const IDS_MAX = 1000;
const ids = z
  .array(z.string().min(1))
  .min(1)
  .max(IDS_MAX)
  .meta({ description: 'Their ids, up to 1,000', examples: [[SAMPLE.execution]] });

/** A body that names what is meant by its ids, or by a filter. */
function idsOrFilter<Shape extends z.ZodType>(known: typeof ids, filter: Shape) {
  return z.union([z.strictObject({ ids: known }), z.strictObject({ filter })], {
    error: ({ input }) => wrongChoice(input),
  });
}

/** What is told of a body that has neither or both; undefined where its members say more. */
function wrongChoice(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const names = Object.keys(body);
  if (names.includes('ids') && names.includes('filter')) {
    return 'has ids and filter: give one of them';
  }
  if (names.some((name) => CHOICE.includes(name))) return undefined;
  for (const name of names.slice(0, NAMES_MAX)) {
    const meant = meantName(name, CHOICE);
    if (meant !== undefined)
      return `${JSON.stringify(name)} is not known; did you mean "${meant}"?`;
  }
  return 'must have ids or filter: {"filter": {}} means all';
}

const NAMES_MAX = 100;
const CHOICE = ['ids', 'filter'];

/** Of cancelling many. */
export const CancelManyBody = idsOrFilter(ids, Filter.meta({ description: 'Which runs' })).meta({
  id: 'WorkflowCancelMany',
  description: 'Runs by their ids, or those that a filter finds, up to 1,000',
  examples: [{ filter: { status: 'waiting' } }],
});
export type CancelManyBody = z.infer<typeof CancelManyBody>;

const letterFilters = {
  version: filters.version,
  since: Time('Of runs that failed then or later'),
  until: Time('Of runs that failed before then'),
};
/** Which dead letters are meant. */
export const LetterFilter = z.strictObject(letterFilters);
export type LetterFilter = z.infer<typeof LetterFilter>;

/** Of a list of dead letters. */
export const LettersQuery = z.strictObject({ ...letterFilters, ...PageQuery.shape });
export type LettersQuery = z.infer<typeof LettersQuery>;

/** Of redriving many. */
export const RedriveManyBody = idsOrFilter(
  ids.meta({ description: 'Their ids, up to 1,000', examples: [[SAMPLE.letter]] }),
  LetterFilter.meta({ description: 'Which dead letters' }),
).meta({
  id: 'WorkflowRedriveMany',
  description: 'Dead letters by their ids, or those that a filter finds, up to 1,000',
  examples: [{ filter: { version: '1.0.0' } }],
});
export type RedriveManyBody = z.infer<typeof RedriveManyBody>;
