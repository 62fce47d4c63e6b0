/** What rendering and asynchronous runs answer. Spec: "Render result"; contract §8. */
import * as z from 'zod';
import { JsonValue } from '../../kinds/members.ts';
import { count, timestamp } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { RENDERED } from './examples.ts';

const FaultOnWire = z.object({
  path: z.string().meta({ description: 'Where in the document', examples: ['items.0.quantity'] }),
  message: z.string().meta({ description: 'What is wrong there', examples: ['is less than 1'] }),
  code: z
    .string()
    .optional()
    .meta({ description: "The author's own code", examples: ['QUANTITY_TOO_SMALL'] }),
  line: z
    .int()
    .optional()
    .meta({ description: 'Where in an expression', examples: [1] }),
  column: z
    .int()
    .optional()
    .meta({ description: 'Where in that line', examples: [5] }),
});
const Validation = z.object({
  valid: z.boolean().meta({ description: 'Whether it fits', examples: [true] }),
  errors: z
    .array(FaultOnWire)
    .optional()
    .meta({ description: 'All that is wrong; absent when nothing is' }),
});

/** What rendering answers. Spec: "Render result". */
export const RenderResult = z
  .object({
    success: z.boolean().meta({ description: 'Whether a run would succeed', examples: [true] }),
    processingTimeMs: count('Milliseconds; may be 0 where the clock stands still', 0),
    fuel: count('Steps that it took, of the budget of a run', RENDERED.fuel),
    inputValidation: Validation.meta({ description: 'The input against `inputSchema`' }),
    output: JsonValue.meta({
      description: 'What a run would answer; null when it would fail before its output is made',
    }),
    transformationSteps: z
      .array(
        z.object({
          rule: z.string().meta({ description: 'Its target', examples: ['total'] }),
          input: JsonValue.optional().meta({
            description: 'What it began with',
            examples: [' x '],
          }),
          transformations: z
            .array(
              z.object({
                name: z.string().meta({ description: 'The transformer', examples: ['trim'] }),
                output: JsonValue.meta({ description: 'What it made', examples: ['x'] }),
              }),
            )
            .meta({ description: 'One by one' }),
          note: z
            .string()
            .optional()
            .meta({
              description: 'Why it left its target out, or what it answered instead',
              examples: ['its condition does not hold'],
            }),
          logLevel: z
            .string()
            .optional()
            .meta({ description: '`logLevel` of the `onError` that decided', examples: ['warn'] }),
          round: z
            .int()
            .min(1)
            .optional()
            .meta({
              description:
                'Of a request, where rules name results by `as`: in which round it goes out; those of one round need nothing of each other',
              examples: [1],
            }),
          request: z
            .object({
              endpoint: z.string().meta({ description: 'Where to', examples: [SAMPLE.endpoint] }),
              operation: z
                .enum(['read', 'write', 'transaction'])
                .meta({ description: 'What it would be sent to', examples: ['read'] }),
              request: z
                .record(z.string(), JsonValue)
                .meta({ description: 'What would be sent', examples: [{ query: 'select 1' }] }),
            })
            .optional()
            .meta({ description: 'Of data access: what a run would send' }),
        }),
      )
      .meta({ description: 'What each rule did, in order' }),
    outputValidation: Validation.meta({ description: 'The output against `outputSchema`' }),
    errors: z
      .array(FaultOnWire)
      .optional()
      .meta({ description: 'What a run would be refused for; absent when nothing' }),
  })
  .meta({
    id: 'RenderResult',
    description: 'How a run would go; nothing was sent to any endpoint',
    examples: [RENDERED],
  });

/** What starting an asynchronous run answers. */
export const StartedRun = z
  .object({
    run_id: z.uuid().meta({ description: 'Name of the run', examples: [SAMPLE.run] }),
    status: z.literal('running').meta({ description: 'It has begun' }),
    location: z.string().meta({
      description: 'Where its outcome is to be asked for',
      examples: [`/api/v1/templates/${SAMPLE.template}/runs/${SAMPLE.run}`],
    }),
  })
  .meta({
    id: 'StartedRun',
    description: 'A run that goes on by itself',
    examples: [
      {
        run_id: SAMPLE.run,
        status: 'running',
        location: `/api/v1/templates/${SAMPLE.template}/runs/${SAMPLE.run}`,
      },
    ],
  });

/** What is known of an asynchronous run. */
export const RunRecord = z
  .object({
    run_id: z.uuid().meta({ description: 'Name of the run', examples: [SAMPLE.run] }),
    status: z
      .enum(['running', 'succeeded', 'failed'])
      .meta({ description: 'How far it is', examples: ['succeeded'] }),
    output: JsonValue.optional().meta({
      description: 'What it answered, once it succeeded',
      examples: [{ total: 42 }],
    }),
    error: z
      .record(z.string(), JsonValue)
      .optional()
      .meta({
        description: 'The error that it ended in, in the form of error replies',
        examples: [{ error: 'Template failed', code: 'TEMPLATE_FAILED' }],
      }),
    started: timestamp('When it was started', SAMPLE.created),
    ended: timestamp('When it ended', SAMPLE.created).optional(),
  })
  .meta({
    id: 'TemplateRun',
    description: 'A run; its outcome is kept for 24 hours',
    examples: [
      {
        run_id: SAMPLE.run,
        status: 'succeeded',
        output: { total: 42 },
        started: SAMPLE.created,
        ended: SAMPLE.created,
      },
    ],
  });
