/** Paths, queries and bodies of the operations on templates, as on the wire. Spec: "Template", "Templates". */
import * as z from 'zod';
import { JsonMembers, JsonValue } from '../../kinds/members.ts';
import { ChosenId } from '../shapes/ids.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { shownAs } from '../shapes/shown-as.ts';
import { PARAMETER_TYPES, REQUEST_SORTS } from './definition.ts';
import { CREATE, CREATE_ACCESS, PATCH } from './examples.ts';
import { RuleShape } from './transformation/shapes.ts';

/** Longest name, in characters. Spec silent. */
const NAME_MAX = 256;
/** Longest description, in characters. Spec silent. */
const DESCRIPTION_MAX = 16_384;
/** Longest time for which an output may be answered again, in seconds. Spec silent. */
const TTL_MAX_S = 86_400;
/** Most that one run does at a time. Spec silent. */
const WORKERS_MAX = 32;

/** Parameter of every path below `/templates/{template}`. */
export const TemplatePath = z.object({
  template: z
    .string()
    .min(1)
    .meta({ description: "The template's id or UUID", examples: [SAMPLE.template] }),
});

/** A run below a template. */
export const RunPath = TemplatePath.extend({
  run: z
    .string()
    .min(1)
    .meta({
      description: 'The `run_id` that starting the run answered',
      examples: [SAMPLE.run],
    }),
});
export type RunPath = z.infer<typeof RunPath>;

const TemplateId = ChosenId.refine((id) => id !== 'subjects', 'may not be "subjects"').meta({
  description:
    'Id of your choice, which paths name; left out, the name in lower case with hyphens. No UUID, and not `subjects`',
  examples: [SAMPLE.template],
});
/** What people call a template. */
export const Name = z
  .string()
  .min(1)
  .max(NAME_MAX)
  .meta({ description: 'What people call it', examples: [CREATE.name] });
/** What it is for. */
export const Description = z
  .string()
  .max(DESCRIPTION_MAX)
  .meta({ description: 'What it is for, in your own words', examples: [CREATE.description] });
/** Name of a version. Spec silent. */
export const VersionName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/,
    'must be 1 to 64 letters, digits and . _ + -, and begin with a letter or digit',
  )
  .meta({ description: 'Name of the version, for example major.minor', examples: ['1.0.0'] });

/** Whose rights runs have. Spec: keys-and-doors.md §2. */
export const RunAs = z.enum(['caller', 'author']).meta({
  description:
    'Whose rights a run has: those of who calls it (`caller`, as when it is left out), or those of the account that stored the version (`author`): then who calls needs rights on it alone, and who stores it Admin on each endpoint that it reaches, or on the organization',
  examples: ['author'],
});

const Schema = z.union([z.record(z.string(), JsonValue), z.boolean()]);
const InputSchema = Schema.meta({
  description: 'JSON Schema (draft 2020-12 or 7) that the input must fit; nothing is fetched',
  examples: [CREATE.inputSchema],
});
const OutputSchema = Schema.meta({
  description: 'JSON Schema that the output must fit',
  examples: [{ type: 'object', required: ['total'] }],
});
/** Rules are read by worker/templates/transformation, which reports all their faults. */
export const Rules = shownAs(
  z.array(JsonValue),
  z.array(RuleShape).meta({ description: 'Rules, and blocks of rules under a condition' }),
).meta({ description: 'What the output is made of, in this order' });
const Functions = z.record(z.string(), z.string()).meta({
  description: 'Sources of functions by their names, for `function` and expressions',
  examples: [CREATE.functions],
});
const Parameters = z
  .record(
    z.string().min(1),
    z.strictObject({
      description: z
        .string()
        .optional()
        .meta({ description: 'What it is for', examples: ['Tax rate'] }),
      default: JsonValue.optional().meta({
        description: 'Its value when the call gives none',
        examples: [0.19],
      }),
      type: z
        .enum(PARAMETER_TYPES)
        .optional()
        .meta({ description: 'What its value must be', examples: ['number'] }),
    }),
  )
  .meta({
    description: 'What a call may set by `?parameters.<name>=`, with defaults',
    examples: [CREATE.parameters],
  });
const Performance = z
  .strictObject({
    caching: z
      .strictObject({
        enabled: z.boolean().meta({ description: 'Whether outputs are kept', examples: [true] }),
        ttl: z
          .int()
          .min(1)
          .max(TTL_MAX_S)
          .default(60)
          .meta({ description: 'Seconds for which an output is answered again', examples: [60] }),
      })
      .optional()
      .meta({
        description:
          'Outputs by version, input and parameters; never of a template that writes or looks at `now`',
      }),
    parallelization: z
      .strictObject({
        enabled: z
          .boolean()
          .meta({ description: 'Whether data access runs side by side', examples: [true] }),
        maxWorkers: z
          .int()
          .min(1)
          .max(WORKERS_MAX)
          .default(4)
          .meta({
            description: 'How many nested calls that reach endpoints may be under way at a time',
            examples: [4],
          }),
      })
      .optional()
      .meta({ description: 'The order of results is that of the rules in any case' }),
    lazyEvaluation: z
      .boolean()
      .optional()
      .meta({
        description:
          'Leaves out rules whose target `outputSchema` does not show, where it has `additionalProperties: false`',
        examples: [true],
      }),
  })
  .meta({ description: 'How it is run', examples: [{ caching: { enabled: true, ttl: 60 } }] });

const common = { name: Name, description: Description, version: VersionName };
/** Of a new definition and of one that is shown. */
export const ofEither = { runAs: RunAs.optional() };
/** What a transformation may have besides its rules. */
export const ofTransformation = {
  inputSchema: InputSchema.optional(),
  outputSchema: OutputSchema.optional(),
  functions: Functions.optional(),
  parameters: Parameters.optional(),
  performanceSettings: Performance.optional(),
};
/** What a data-access template does. */
export const RequestSort = z.enum(REQUEST_SORTS).meta({
  description: 'What its request does; `TwoPhaseTransaction` runs as `POST /transactions` does',
  examples: ['Read'],
});
/** Its request, with placeholders. */
export const Access = z.record(z.string(), JsonValue).meta({
  description:
    'The endpoint and its request, or `operations` of a transaction, with placeholders such as `{{name: Number}}`',
  examples: [CREATE_ACCESS.template],
});

/** Transformation shape of a new template. */
export const TransformationInput = z
  .strictObject({
    id: TemplateId.optional(),
    name: Name,
    description: Description.default(''),
    version: VersionName.default('1.0.0'),
    ...ofEither,
    transformationRules: Rules,
    ...ofTransformation,
  })
  .meta({
    id: 'TransformationInput',
    description: 'A new template that makes a document out of another',
    examples: [CREATE],
  });
export type TransformationInput = z.infer<typeof TransformationInput>;

/** Constructor shape of a new template. */
export const DataAccessInput = z
  .strictObject({
    id: TemplateId,
    name: Name.optional(),
    description: Description.default(''),
    version: VersionName.default('1.0.0'),
    ...ofEither,
    request: RequestSort,
    template: Access,
  })
  .meta({
    id: 'DataAccessInput',
    description: 'A new template that sends a request to an endpoint',
    examples: [CREATE_ACCESS],
  });
export type DataAccessInput = z.infer<typeof DataAccessInput>;

/** Of POST; held to one of the shapes when it is read. */
export const CreateBody = shownAs(
  JsonMembers,
  z.union([TransformationInput, DataAccessInput]),
).meta({
  description: 'A new template, in one of two shapes',
});

/** Members of a definition that a PATCH may change; null removes what may be left out. */
export const TransformationPatch = z.strictObject({
  ...z.object(common).partial().shape,
  runAs: removable(RunAs),
  transformationRules: Rules.optional(),
  inputSchema: removable(InputSchema),
  outputSchema: removable(OutputSchema),
  functions: removable(Functions),
  parameters: removable(Parameters),
  performanceSettings: removable(Performance),
});

/** A member that null takes away. */
function removable<Member extends z.ZodType>(member: Member) {
  return member
    .nullish()
    .meta({ description: `${member.meta()?.description ?? ''}; null removes` });
}

/** The same of a data-access template. */
export const DataAccessPatch = z.strictObject({
  ...z.object(common).partial().shape,
  runAs: removable(RunAs),
  request: RequestSort.optional(),
  template: Access.optional(),
});

/** Of PATCH; each member that is given replaces the whole one. */
export const PatchBody = shownAs(
  JsonMembers,
  z.union([TransformationPatch, DataAccessPatch]).meta({
    id: 'TemplatePatch',
    description: 'Members that are given replace the whole ones; the rest stays. Null removes',
    examples: [PATCH],
  }),
).meta({ description: 'What the new version has otherwise' });

/** Whether it may go although something uses it. */
export const DeleteQuery = z.strictObject({
  confirm: z
    .enum(['true', 'false'])
    .optional()
    .meta({
      description: 'Deletes it although templates or workflows use it',
      examples: ['true'],
    }),
});
export type DeleteQuery = z.infer<typeof DeleteQuery>;

/** Which version is meant. */
export const VersionQuery = z.strictObject({
  version: VersionName.optional().meta({
    description: 'The version that is meant; left out, the one in force',
    examples: ['1.0.0'],
  }),
});
export type VersionQuery = z.infer<typeof VersionQuery>;
