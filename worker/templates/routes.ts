/** Operations on templates. Spec: "Templates". Contract §4, §8. */
import * as z from 'zod';
import { JsonValue } from '../../kinds/members.ts';
import { badRequest, type GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { onListOf, onOrganization } from '../access/access.ts';
import { runTemplate, type TemplateCall } from '../calls/template.ts';
import { TRANSACTION_HEADER, WITHIN_A_TRANSACTION } from '../calls/transactions/interactive.ts';
import { OF_A_READ, OF_A_WRITE } from '../drivers/errors.ts';
import { TransactionHeader } from '../endpoints/shapes.ts';
import { Tagged } from '../outcome.ts';
import { type AnyRoute, route } from '../route.ts';
import { getRun, startRun } from '../runs/start.ts';
import { PageQuery } from '../shapes/cursor.ts';
import { weighDefinition } from '../shapes/definition.ts';
import { onTemplate, onTemplateToChange } from './access.ts';
import { createTemplate } from './create.ts';
import { deleteTemplate } from './delete.ts';
import { getTemplate } from './get.ts';
import { listTemplates } from './list.ts';
import { parametersIn, prefersAsync, RenderQuery, RunQuery } from './query.ts';
import { namedAs, tagOf } from './record.ts';
import { renderTemplate } from './render.ts';
import { Created, Deleted, TemplateDetail, TemplatePage, Updated } from './result-shapes.ts';
import { RenderResult, RunRecord, StartedRun } from './run-shapes.ts';
import {
  CreateBody,
  DeleteQuery,
  PatchBody,
  RunPath,
  TemplatePath,
  VersionQuery,
} from './schema.ts';
import { updateTemplate } from './update.ts';

/** What is run with, or rendered. */
const Input = JsonValue.meta({
  description: 'The input: an object, unless the template takes something else',
  examples: [{ customer: { name: ' ada ' }, items: [{ sku: 'A-1', price: 9.5, quantity: 2 }] }],
});
const Output = JsonValue.meta({
  description: 'What the template made of the input',
  examples: [{ total: 22.61 }],
});
const REACHES = ['ENDPOINT_NOT_FOUND', 'TEMPLATE_FAILED'] as const;
const ASYNC_HEADERS = z.object({
  Prefer: z
    .string()
    .optional()
    .meta({
      description: '`respond-async` answers 202 at once and lets the run go on',
      examples: ['respond-async'],
    }),
});

/** The transaction would be over before the run. */
function noLaterRun(): GatewayError {
  return badRequest(TRANSACTION_HEADER, 'does not go together with async=true: leave one out');
}

/** What a run or render is asked for. */
function callOf(query: RenderQuery, input: Json, bytes: Uint8Array | undefined): TemplateCall {
  const parameters = parametersIn(query);
  return { version: query.version, input, written: bytes, parameters, parametersAreTexts: true };
}

export const templateRoutes: AnyRoute[] = [
  route({
    method: 'POST',
    path: '/templates',
    summary: 'Create a template',
    description:
      'Syntax, schemas, references and cycles are checked, and every fault is told with its path. Needs on each endpoint that it reaches what a run needs there.',
    tag: 'Templates',
    errors: ['TEMPLATE_EXISTS', 'QUOTA_EXCEEDED', 'EDIT_CONFLICT'],
    access: onOrganization('Write'),
    changes: 'organization',
    body: CreateBody,
    weigh: weighDefinition,
    reply: 'bare',
    result: Created,
    names: { template: '/id' },
    async handle(ctx, { body, bytes, demands }) {
      const row = await createTemplate(ctx, body, bytes, demands);
      return namedAs(row, `Template ${row.id} created`);
    },
  }),
  route({
    method: 'GET',
    path: '/templates',
    summary: 'List the templates that you may read',
    description:
      'By id. A caller without Read on the organization gets those that a rule on the template lets them read.',
    tag: 'Templates',
    errors: [],
    access: onListOf('template'),
    changes: 'nothing',
    query: PageQuery,
    reply: 'bare',
    result: TemplatePage,
    names: { template: '/templates/0/id', cursor: '/next_cursor' },
    handle: (ctx, { resource, query }) => listTemplates(ctx, resource, query),
  }),
  route({
    method: 'GET',
    path: '/templates/:template',
    summary: 'Show a template with its usage and versions',
    description: 'The definition is that of the version in force, or of `?version=`.',
    tag: 'Templates',
    errors: ['EDIT_CONFLICT'],
    access: onTemplate('Read'),
    changes: 'nothing',
    params: TemplatePath,
    query: VersionQuery,
    conditional: true,
    reply: 'bare',
    result: TemplateDetail,
    handle: (ctx, { resource, query }) => getTemplate(ctx, resource, query.version),
  }),
  route({
    method: 'PATCH',
    path: '/templates/:template',
    summary: 'Put a new version of a template in force',
    description:
      'Each member that is given replaces the whole one; the result is checked as a new template is. Versions before it are kept, and can be run by `?version=`. Without `version` the minor number is raised.',
    tag: 'Templates',
    errors: ['TEMPLATE_VERSION_EXISTS', 'EDIT_CONFLICT', 'QUOTA_EXCEEDED'],
    access: onTemplateToChange(),
    changes: 'organization',
    params: TemplatePath,
    body: PatchBody,
    weigh: weighDefinition,
    conditional: true,
    reply: 'bare',
    result: Updated,
    names: { version: '/version' },
    async handle(ctx, { resource, ...sent }) {
      const { row, updatedFields } = await updateTemplate(ctx, resource, sent);
      const message = `Template ${row.id} is at version ${row.version}`;
      return new Tagged(tagOf(row), {
        ...namedAs(row, message),
        updatedFields: [...updatedFields],
      });
    },
  }),
  route({
    method: 'DELETE',
    path: '/templates/:template',
    summary: 'Delete a template with all its versions',
    description:
      'What workflows or other templates use needs `?confirm=true`; those fail from then on. It needs what storing it needed, on what its version in force reaches and is still there.',
    tag: 'Templates',
    errors: ['TEMPLATE_IN_USE'],
    access: onTemplate('Write'),
    changes: 'organization',
    params: TemplatePath,
    query: DeleteQuery,
    conditional: true,
    reply: 'bare',
    result: Deleted,
    async handle(ctx, { resource, query, ifMatch, demands }) {
      const confirmed = query.confirm === 'true';
      const { workflows, templates } = await deleteTemplate(ctx, resource, confirmed, {
        ifMatch,
        demands,
      });
      const { id } = resource.row;
      const affectedResources = { workflows: [...workflows], templates: [...templates] };
      return { message: `Template ${id} deleted`, id, affectedResources };
    },
  }),
  route({
    method: 'POST',
    path: '/templates/:template',
    summary: 'Run a template',
    description:
      'Answers the output. Needs Write where it sends more than reads to endpoints, and on each endpoint that it reaches what the request needs there. With `?async=true` the run goes on by itself; its outcome is kept for 24 hours.',
    tag: 'Templates',
    errors: [...REACHES, ...WITHIN_A_TRANSACTION, ...OF_A_READ, ...OF_A_WRITE],
    headers: ASYNC_HEADERS.extend(TransactionHeader.shape),
    access: onTemplate('Read'),
    changes: 'backend',
    params: TemplatePath,
    query: RunQuery,
    body: Input,
    asWritten: true,
    joins: true,
    idempotency: { honours: ({ header }) => header(TRANSACTION_HEADER) === undefined },
    reply: 'bare',
    result: Output,
    names: { run: '/run_id' },
    accepted: StartedRun,
    handle(ctx, { resource, query, body: input, bytes, header }) {
      const call = callOf(query, input, bytes);
      const transaction = header(TRANSACTION_HEADER);
      const preferred = prefersAsync(header('Prefer'));
      if (query.async === 'true' && transaction !== undefined) throw noLaterRun();
      const isAsync = query.async === 'true' || preferred;
      if (isAsync && transaction === undefined) return startRun(ctx, resource, call, preferred);
      return runTemplate(ctx, resource, { ...call, transaction });
    },
  }),
  route({
    method: 'POST',
    path: '/templates/:template/render',
    summary: 'Show how a run of a template would go',
    description:
      'Runs every rule and tells each step; nothing is sent to any endpoint: requests are shown instead, and rules that need their results leave their targets out. An input that does not fit is told here with 200, `success: false`.',
    tag: 'Templates',
    errors: REACHES,
    access: onTemplate('Read'),
    changes: 'nothing',
    params: TemplatePath,
    query: RenderQuery,
    body: Input,
    asWritten: true,
    idempotency: { reads: true },
    reply: 'bare',
    result: RenderResult,
    handle: (ctx, { resource, query, body: input, bytes }) =>
      renderTemplate(ctx, resource, callOf(query, input, bytes)),
  }),
  route({
    method: 'GET',
    path: '/templates/:template/runs/:run',
    summary: 'Tell how an asynchronous run went',
    description: 'For 24 hours after its end; told to who started it, and to Admin.',
    tag: 'Templates',
    errors: ['RUN_NOT_FOUND'],
    access: onTemplate<RunPath>('Read'),
    changes: 'nothing',
    params: RunPath,
    reply: 'bare',
    result: RunRecord,
    handle: (ctx, { resource, params }) => getRun(ctx, resource, params.run),
  }),
];
