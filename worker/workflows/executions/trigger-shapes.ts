/** Triggers as on the wire. Spec: workflows.md §5. */
import * as z from 'zod';
import { JsonMembers, JsonValue } from '../../../kinds/members.ts';
import { timestamp } from '../../shapes/members.ts';
import { SAMPLE } from '../../shapes/sample.ts';
import { shownAs } from '../../shapes/shown-as.ts';
import { WorkflowPath } from '../schema.ts';

/** A trigger below a workflow. */
export const TriggerPath = WorkflowPath.extend({
  index: z
    .string()
    .min(1)
    .meta({ description: 'Its place among the triggers, from 0', examples: ['0'] }),
});
export type TriggerPath = z.infer<typeof TriggerPath>;

/** What a trigger is tried with. */
export const Sample = shownAs(JsonMembers, z.record(z.string(), JsonValue)).meta({
  id: 'TriggerSample',
  description:
    'What `$` of filter and mapping is: an event, of a webhook `{body, headers?, query?}`, a change; of a schedule `{trigger?}`; of a trigger of type `api` the input',
  examples: [{ source: 'shop', event: 'order.paid', data: { order: 1042, amount: 25 } }],
});

const Fault = z.object({
  path: z.string().meta({ description: 'Where', examples: ['trigger.mapping.sku'] }),
  message: z.string().meta({ description: 'What is wrong', examples: ['has no value'] }),
});

/** What a trigger makes of a sample. */
export const TriggerTested = z
  .object({
    matches: z.boolean().meta({ description: 'Whether a run would start', examples: [true] }),
    input: JsonValue.optional().meta({
      description: 'The input of the run',
      examples: [{ order: 1042, amount: 25 }],
    }),
    faults: z.array(Fault).meta({
      description: 'What throws, and what of the input the schema refuses: the run would fail',
      examples: [[]],
    }),
  })
  .meta({ id: 'TriggerTested', description: 'What filter and mapping make of the sample' });

const Told = z
  .object({
    index: z.int().meta({ description: 'Its place, from 0', examples: [0] }),
    type: z
      .enum(['api', 'schedule', 'event', 'webhook', 'dataChange'])
      .meta({ description: 'What starts runs', examples: ['schedule'] }),
    state: z.enum(['active', 'paused', 'failing']).meta({
      description: 'Of a paused workflow `paused`; `failing`: what came last started nothing',
      examples: ['active'],
    }),
    last: timestamp('When it started a run last', SAMPLE.changed).optional(),
    next: timestamp('When it comes next', SAMPLE.now).optional(),
    error: z
      .object({
        code: z.string().meta({ description: 'A code', examples: ['EXPRESSION_FAILED'] }),
        message: z.string().meta({ description: 'In words', examples: ['has no value'] }),
      })
      .optional()
      .meta({ description: 'The last fault' }),
  })
  .meta({ id: 'Trigger', description: 'A trigger, and how it stands' });

/** All triggers of a workflow. */
export const TriggerList = z
  .object({ triggers: z.array(Told).meta({ description: 'As the definition has them' }) })
  .meta({ id: 'TriggerList', description: 'The triggers of the version in force' });
