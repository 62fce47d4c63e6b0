/** What the operations on templates answer. Spec: "Template", results; contract §8. */
import * as z from 'zod';
import { count, message, NextCursor, timestamp } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { CREATE, CREATE_ACCESS, DETAIL } from './examples.ts';
import {
  Access,
  Description,
  Name,
  ofEither,
  ofTransformation,
  RequestSort,
  Rules,
  VersionName,
} from './schema.ts';

const identity = {
  id: z.string().meta({ description: "The template's chosen id", examples: [SAMPLE.template] }),
  name: Name,
  version: VersionName,
};

/** What creating answers. */
export const Created = z
  .object({ ...identity, message: message(`Template ${SAMPLE.template} created`) })
  .meta({
    id: 'TemplateCreated',
    description: 'The template can be used at once',
    examples: [
      {
        id: SAMPLE.template,
        name: CREATE.name,
        version: '1.0.0',
        message: `Template ${SAMPLE.template} created`,
      },
    ],
  });

/** What a PATCH answers. */
export const Updated = Created.extend({
  updatedFields: z.array(z.string()).meta({
    description: 'Members that the new version has otherwise',
    examples: [['description']],
  }),
}).meta({
  id: 'TemplateUpdated',
  description: 'The new version, which is in force from now on',
  examples: [
    {
      id: SAMPLE.template,
      name: CREATE.name,
      version: '1.1.0',
      message: `Template ${SAMPLE.template} is at version 1.1.0`,
      updatedFields: ['description'],
    },
  ],
});

const used = (what: string) =>
  z.array(z.string()).meta({ description: `Ids of ${what} that used it`, examples: [[]] });

/** What deleting answers. */
export const Deleted = z
  .object({
    message: message(`Template ${SAMPLE.template} deleted`),
    id: identity.id,
    affectedResources: z
      .object({ workflows: used('workflows'), templates: used('templates') })
      .meta({ description: 'What fails from now on' }),
  })
  .meta({
    id: 'TemplateDeleted',
    description: 'All its versions are gone',
    examples: [
      {
        message: `Template ${SAMPLE.template} deleted`,
        id: SAMPLE.template,
        affectedResources: { workflows: [], templates: [] },
      },
    ],
  });

const detail = {
  uuid: z.string().meta({
    description: 'It stays when the id is given to another, and goes wherever the id goes',
    examples: [SAMPLE.templateUuid],
  }),
  created: timestamp('When it was created', SAMPLE.created),
  createdBy: z.string().meta({ description: 'By whom', examples: [SAMPLE.ada] }),
  lastModified: timestamp('When its last version was made', SAMPLE.changed),
  lastModifiedBy: z.string().meta({ description: 'By whom', examples: [SAMPLE.ada] }),
  usage: z
    .object({
      directReferences: count('Templates and workflows that use it', DETAIL.usage.directReferences),
      invocationsLast30Days: count(
        'Runs of the last 30 days, by UTC day',
        DETAIL.usage.invocationsLast30Days,
      ),
      averageProcessingTime: count(
        'Milliseconds of one of these runs, on average',
        DETAIL.usage.averageProcessingTime,
      ),
    })
    .meta({ description: 'How much it is used, a second late' }),
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

/** A template with all that may be shown of it. */
export const TemplateDetail = z
  .union([
    z
      .object({
        ...identity,
        ...ofEither,
        ...ofTransformation,
        ...detail,
        description: Description,
      })
      .extend({ transformationRules: Rules })
      .meta({ id: 'TransformationDetail', description: 'A transformation', examples: [DETAIL] }),
    z
      .object({ ...identity, ...ofEither, ...detail, description: Description })
      .extend({ request: RequestSort, template: Access })
      .meta({
        id: 'DataAccessDetail',
        description: 'A data-access template',
        examples: [detailOfAccess()],
      }),
  ])
  .meta({ description: 'The definition, and what became of it' });

function detailOfAccess() {
  const {
    transformationRules: _r,
    functions: _f,
    parameters: _p,
    inputSchema: _i,
    ...rest
  } = DETAIL;
  const { id, name, description, request, template } = CREATE_ACCESS;
  return { ...rest, id, name, description, request, template };
}

/** A page of templates, by id. */
export const TemplatePage = z
  .object({
    templates: z
      .array(
        z.object({
          ...identity,
          created: detail.created,
          lastModified: detail.lastModified,
        }),
      )
      .meta({ description: 'Those that you may read, in the order of their ids' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'TemplatePage',
    description: 'A page of the templates that you may read',
    examples: [
      {
        templates: [
          {
            id: SAMPLE.template,
            name: CREATE.name,
            version: '1.0.0',
            created: SAMPLE.created,
            lastModified: SAMPLE.changed,
          },
        ],
        next_cursor: SAMPLE.cursor,
      },
    ],
  });
