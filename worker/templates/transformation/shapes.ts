/** A rule of a transformation, for the API's description; read.ts holds definitions to it. Spec: "Transformation rule members". */
import * as z from 'zod';
import { JsonValue } from '../../../kinds/members.ts';

const path = (description: string, example: string) =>
  z
    .string()
    .min(1)
    .meta({ description, examples: [example] });
const expression = (description: string, example: string) =>
  z
    .string()
    .min(1)
    .meta({ description, examples: [example] });
const ValueOrPath = JsonValue.meta({
  description:
    'A path into the input, or a number, boolean, array or object as itself; `{"value": "text"}` is a constant text',
  examples: ['customer.name'],
});

const Condition = expression(
  'An expression; the rule is left out where it does not hold',
  'total > 0',
);

const Transformer = z.union([
  z.string().meta({ description: 'Its name', examples: ['trim'] }),
  z
    .strictObject({
      name: z.string().meta({ description: 'Its name', examples: ['round'] }),
      args: z
        .array(JsonValue)
        .optional()
        .meta({ description: 'What it needs beside the value', examples: [[2]] }),
    })
    .meta({ description: 'One with arguments', examples: [{ name: 'round', args: [2] }] }),
]);

const Check = z
  .looseObject({
    type: z.string().meta({
      description:
        '`required`, `pattern`, `enum`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `minLength`, `maxLength`, `minItems`, `maxItems`, `uniqueItems`, `format`, `custom` with `expression` or `function`, or a type of JSON with bounds',
      examples: ['minimum'],
    }),
    message: z
      .string()
      .optional()
      .meta({ description: 'What is told when it fails', examples: ['at least 1'] }),
    code: z
      .string()
      .optional()
      .meta({ description: "The author's own code", examples: ['QUANTITY_TOO_SMALL'] }),
  })
  .meta({
    description: 'One check; its bound is the member named after its type',
    examples: [{ type: 'minimum', minimum: 1, message: 'at least 1', code: 'QUANTITY_TOO_SMALL' }],
  });
const Validation = z
  .union([
    z.array(Check),
    z.looseObject({}).meta({
      description: 'Bounds by their names, and `rules`: a list of checks',
      examples: [{ type: 'number', minimum: 0, maximum: 100 }],
    }),
  ])
  .meta({ description: 'What the value must be; all that fail are told' });

const OnError = z
  .strictObject({
    action: z.enum(['default', 'skip', 'fail']).meta({
      description:
        '`default` puts `value`, `skip` leaves the target out, `fail` ends the run with 400',
      examples: ['default'],
    }),
    value: JsonValue.optional().meta({ description: 'Of `default`', examples: [0] }),
    logLevel: z
      .enum(['debug', 'info', 'warn', 'error'])
      .optional()
      .meta({ description: 'Shown in the step of a render', examples: ['warn'] }),
    message: z
      .string()
      .optional()
      .meta({ description: 'Told in place of ours', examples: ['no total'] }),
  })
  .meta({
    description: 'What happens when the rule fails; left out, the run ends with 400',
    examples: [{ action: 'default', value: 0 }],
  });

const ForEach = z
  .strictObject({
    array: path('Where the array is', 'items'),
    as: z.string().meta({ description: 'Name of an element in the rules', examples: ['item'] }),
    index: z
      .string()
      .optional()
      .meta({ description: 'Name of its index, from 0', examples: ['i'] }),
    filter: expression('Which elements are taken', 'item.quantity > 0').optional(),
    validation: Validation.optional(),
  })
  .meta({
    description: 'Its rules run for each element',
    examples: [{ array: 'items', as: 'item' }],
  });

const members = {
  target: path('Where in the output', 'customer.name').optional(),
  source: path('Where in the input', 'customer.name').optional(),
  expression: expression('What it is', 'price * quantity').optional(),
  value: JsonValue.optional().meta({ description: 'A constant', examples: ['EUR'] }),
  function: z
    .string()
    .optional()
    .meta({
      description: "One of the template's functions",
      examples: ['amount'],
    }),
  args: z
    .array(ValueOrPath)
    .optional()
    .meta({ description: 'What the function is given', examples: [['item']] }),
  template: z
    .string()
    .optional()
    .meta({ description: 'Another template, by id or UUID', examples: ['address'] }),
  input: JsonValue.optional().meta({
    description:
      'Of `template`: a path, or an object from name to path or value; left out, the whole input',
    examples: ['customer.address'],
  }),
  parameters: z
    .record(z.string(), JsonValue)
    .optional()
    .meta({
      description: 'Of `template`: its parameters, as they are',
      examples: [{ rate: 0.07 }],
    }),
  copy: z
    .strictObject({
      from: path('Where in the input', 'customer').optional(),
      to: path('Where in the output', 'buyer').optional(),
      fields: z
        .array(z.string())
        .optional()
        .meta({
          description: 'Which members, by name or path below `from`; all when left out',
          examples: [['name']],
        }),
    })
    .optional()
    .meta({
      description: 'Members as they are',
      examples: [{ from: 'customer', fields: ['name'] }],
    }),
  initialize: z
    .record(z.string(), JsonValue)
    .optional()
    .meta({ description: 'Values by the paths where they are put', examples: [{ lines: [] }] }),
  mapping: z
    .record(z.string(), JsonValue)
    .optional()
    .meta({
      description:
        'Output by input value, after the transformers; a value that it does not name leaves the target out',
      examples: [{ N: 'new', P: 'paid' }],
    }),
  transformers: z
    .array(Transformer)
    .optional()
    .meta({
      description:
        'What is done to the value, in this order; null and what is not there pass through',
      examples: [['trim']],
    }),
  condition: Condition.optional(),
  as: z
    .string()
    .optional()
    .meta({
      description:
        'Names the result: rules after it read it as `results.<name>`, and `target` may be left out. Within `forEach` it belongs to the element',
      examples: ['lines'],
    }),
  validation: Validation.optional(),
  onError: OnError.optional(),
  forEach: ForEach.optional(),
};

/** A rule, or a block of rules under a condition. */
export const RuleShape: z.ZodType = z
  .strictObject({
    ...members,
    get rules() {
      return z
        .array(RuleShape)
        .optional()
        .meta({ description: 'Of `forEach`, or of a block under `condition`' });
    },
    get else() {
      return z
        .array(RuleShape)
        .optional()
        .meta({ description: 'Of a block: its rules where the condition does not hold' });
    },
  })
  .meta({
    id: 'TransformationRule',
    description: 'One rule; what its value is, one of `source`, `expression`, `value`, … says',
    examples: [{ target: 'customer', source: 'customer.name', transformers: ['trim'] }],
  });
