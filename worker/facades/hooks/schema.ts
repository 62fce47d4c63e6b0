/** What webhooks and starts by anyone take and answer, as on the wire. Spec: workflows.md §5. */
import * as z from 'zod';
import { JsonValue } from '../../../kinds/members.ts';
import { uuid } from '../../shapes/members.ts';
import { SAMPLE } from '../../shapes/sample.ts';

/** Where a delivery goes. */
export const HookPath = z.object({
  org: z
    .string()
    .min(1)
    .meta({ description: 'The organization’s id or UUID', examples: [SAMPLE.orgId] }),
  path: z
    .string()
    .min(1)
    .meta({
      description: 'The `path` of a webhook, or the id of a workflow that anyone may start',
      examples: ['shop/orders'],
    }),
});
export type HookPath = z.infer<typeof HookPath>;

/** What a body is read to. */
export const AnyBody = JsonValue.meta({
  description: 'As `mapping` reads it, `$.body`; of a start without a token the input',
  examples: [{ id: 'evt_1042', order: 1042 }],
});

const runId = uuid('The run', SAMPLE.execution);
const status = z.string().meta({ description: 'How the run stands', examples: ['succeeded'] });

/** What is answered while the run goes on. */
export const HookTaken = z.object({ run_id: runId, status: status.optional() }).meta({
  id: 'HookTaken',
  description: 'The run goes on; of a repeat it is the first one’s',
  examples: [{ run_id: SAMPLE.execution }],
});

/** What a synchronous trigger answers once its run has ended. */
export const HookEnded = z
  .union([
    z.object({
      run_id: runId,
      status,
      output: JsonValue.optional().meta({
        description: 'What the run put out',
        examples: [{ stored: true }],
      }),
      error: z
        .object({
          code: z.string().meta({ description: 'Why it failed', examples: ['TIMED_OUT'] }),
        })
        .optional()
        .meta({ description: 'Of a run that failed' }),
    }),
    z.object({
      challenge: z.string().meta({
        description: 'What Slack sent to verify the address',
        examples: ['3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P'],
      }),
    }),
  ])
  .meta({
    id: 'HookEnded',
    description: 'How a run ended that was waited for, or Slack’s own question',
    examples: [{ run_id: SAMPLE.execution, status: 'succeeded', output: { stored: true } }],
  });
