/** An action of a workflow, for the API's description; worker/workflows/definition holds definitions to it. Spec: "Action types". */
import * as z from 'zod';
import { JsonValue } from '../../kinds/members.ts';
import { ACTION_TYPES } from './definition/type-names.ts';

const text = (description: string, example: string) =>
  z
    .string()
    .min(1)
    .meta({ description, examples: [example] });
const expression = (description: string, example: string) => text(description, example).optional();
const flag = (description: string) =>
  z
    .boolean()
    .optional()
    .meta({ description, examples: [true] });
const value = (description: string, example: z.core.util.JSONType) =>
  JsonValue.optional().meta({ description, examples: [example] });
const target = (description: string) =>
  z
    .string()
    .nullable()
    .optional()
    .meta({ description, examples: ['ship'] });

const Next = z.union([
  z
    .string()
    .nullable()
    .meta({ description: 'An id, or null for the end', examples: ['ship'] }),
  z
    .strictObject({
      condition: text('Decides', '$.actions.load.output.rows.length > 0'),
      true: target('Where it goes on when that holds'),
      false: target('Where it goes on when it does not'),
    })
    .meta({
      description: 'A choice',
      examples: [{ condition: '$.input.express', true: 'ship', false: null }],
    }),
]);

const Timeout = z.union([
  text('A duration', 'PT30S'),
  z
    .strictObject({
      duration: text('A duration', 'P1D'),
      action: target('Where the run goes on'),
      escalation: z
        .strictObject({
          roles: z
            .array(z.string())
            .meta({ description: 'Who is asked then', examples: [['Admin']] }),
        })
        .optional()
        .meta({ description: 'Of a human task', examples: [{ roles: ['Admin'] }] }),
    })
    .meta({ description: 'Of `wait` and `humanTask`', examples: [{ duration: 'P1D' }] }),
]);

const common = {
  id: z
    .string()
    .optional()
    .meta({
      description: 'Unique in the whole definition; an option may go without',
      examples: ['load'],
    }),
  type: z.enum(ACTION_TYPES).meta({ description: 'What it does', examples: ['endpoint'] }),
  name: expression('What people call it', 'Load the order'),
  input: value('A value: texts that begin with `$.` are expressions', { order: '$.input.id' }),
  output: value('What is kept in place of its output, over `$.output`', '$.output.rows[0]'),
  next: Next.optional().meta({
    description: 'What follows; left out, the end',
    examples: ['paid'],
  }),
  after: z
    .array(z.string())
    .optional()
    .meta({ description: 'Of a graph: what it begins after', examples: [['load']] }),
  timeout: Timeout.optional().meta({ description: 'How long it may take', examples: ['PT30S'] }),
  idempotencyKey: expression('One effect for each value, over all runs', '$.input.id'),
};

const ofTypes = {
  endpoint: expression('Of `endpoint`: an id or UUID', 'shop'),
  operation: z
    .enum(['read', 'write'])
    .optional()
    .meta({ description: 'Of `endpoint`', examples: ['read'] }),
  expect: z
    .array(JsonValue)
    .optional()
    .meta({
      description: 'Of endpoints of kind `Http`: statuses that are no failure',
      examples: [['2xx', 404]],
    }),
  template: expression('Of `template`: an id or UUID', 'order-summary'),
  condition: expression('Of `condition`', '$.input.total > 100'),
  true: target('Of `condition`'),
  false: target('Of `condition`'),
  joinResults: flag('Of `parallel`: whether its output is that of its branches'),
  collection: expression('Of `loop`: a list', '$.actions.load.output.rows'),
  as: expression('Of `loop`: what the element is called; `item`', 'row'),
  index: expression('Of `loop`: what its position is called', 'i'),
  mode: z
    .enum(['sequential', 'parallel', 'event', 'duration', 'until', 'callback'])
    .optional()
    .meta({ description: 'Of `loop` and `wait`', examples: ['parallel'] }),
  maxConcurrency: z
    .int()
    .optional()
    .meta({ description: 'Of `loop`: elements at a time, up to 100', examples: [10] }),
  aggregation: z
    .record(z.string(), z.string())
    .optional()
    .meta({
      description: 'Of `loop`: expressions over `$.results`',
      examples: [{ sum: '$.results.length' }],
    }),
  continueOnError: flag('Of `loop`: whether it goes on when an element fails'),
  duration: value('Of `wait`', 'PT5M'),
  until: value('Of `wait`: a time', '2030-01-31T12:00:00Z'),
  eventSource: value('Of `wait`', 'shop'),
  eventPattern: expression('Of `wait`: `*` stands for any characters', 'order.*'),
  filter: expression('Of `wait`: over the run and `event`', 'event.data.id === $.input.id'),
  since: z
    .enum(['run', 'wait'])
    .optional()
    .meta({ description: 'Of `wait`: which events count', examples: ['run'] }),
  title: value('Of `humanTask`', 'Approve the order'),
  description: value('Of `humanTask`', 'It is over the limit'),
  assignees: value('Of `humanTask`: `{roles, users}`', { roles: ['Admin'] }),
  form: JsonValue.optional().meta({
    description: 'Of `humanTask`: `{fields: [{id, type, label, options, required}]}`',
    examples: [{ fields: [{ id: 'approved', type: 'boolean' }] }],
  }),
  workflow: expression('Of `subworkflow`: an id or UUID', 'notify'),
  waitForCompletion: flag('Of `subworkflow`; true'),
  selection: JsonValue.optional().meta({
    description: 'Of `dynamicAction`: `{expression, options, default}`',
    examples: [
      { expression: '$.input.channel', options: { mail: { type: 'template', template: 'mail' } } },
    ],
  }),
};

/** An action. */
export const ActionShape: z.ZodType = z
  .strictObject({
    ...common,
    ...ofTypes,
    get compensation() {
      return ActionShape.optional().meta({ description: 'An action that undoes it' });
    },
    get action() {
      return JsonValue.optional().meta({
        description: 'Of `loop`: an action, or a list of them',
        examples: [{ id: 'each', type: 'template', template: 'order-summary' }],
      });
    },
    get branches() {
      return z
        .array(JsonValue)
        .optional()
        .meta({
          description: 'Of `parallel`: each an action, or a list of them',
          examples: [[{ id: 'one', type: 'template', template: 'order-summary' }]],
        });
    },
  })
  .meta({
    id: 'WorkflowAction',
    description: 'One action; which members it has beside the common ones, its type says',
    examples: [{ id: 'summary', type: 'template', template: 'order-summary' }],
  });
