/** Operations on workflows. Spec: "Workflows". Contract §4, §9; workflows.md §1. */
import { onListOf, onOrganization } from '../access/access.ts';
import { ON_THE_WAY } from '../drivers/errors.ts';
import { Tagged } from '../outcome.ts';
import { type AnyRoute, route } from '../route.ts';
import { PageQuery } from '../shapes/cursor.ts';
import { weighDefinition } from '../shapes/definition.ts';
import { onWorkflow, onWorkflowToChange } from './access.ts';
import { createWorkflow } from './create.ts';
import { deleteWorkflow } from './delete.ts';
import { getWorkflow } from './get.ts';
import { listWorkflows } from './list.ts';
import { namedAs, tagOf } from './record.ts';
import { Created, Deleted, Updated, WorkflowDetail, WorkflowPage } from './result-shapes.ts';
import { CreateBody, DeleteQuery, PatchBody, VersionQuery, WorkflowPath } from './schema.ts';
import { updateWorkflow } from './update.ts';

export const workflowRoutes: AnyRoute[] = [
  route({
    method: 'POST',
    path: '/workflows',
    summary: 'Create a workflow',
    description:
      'Actions, expressions, references and cycles are checked, and every fault is told with its path. Needs on each endpoint and template that it names what the action needs there.',
    tag: 'Workflows',
    errors: [
      'WORKFLOW_EXISTS',
      'WORKFLOW_PATH_TAKEN',
      'QUOTA_EXCEEDED',
      'EDIT_CONFLICT',
      'NOT_FOUND',
      ...ON_THE_WAY,
    ],
    access: onOrganization('Write'),
    changes: 'organization',
    body: CreateBody,
    weigh: weighDefinition,
    reply: 'bare',
    result: Created,
    names: { workflow: '/id' },
    async handle(ctx, { body, bytes, policy, demands }) {
      const row = await createWorkflow(ctx, { body, bytes, policy, demands });
      return namedAs(row, `Workflow ${row.id} created`);
    },
  }),
  route({
    method: 'GET',
    path: '/workflows',
    summary: 'List the workflows that you may read',
    description:
      'By id. Without Read on the organization, the list has those that a rule on the workflow lets you read.',
    tag: 'Workflows',
    errors: [],
    access: onListOf('workflow'),
    changes: 'nothing',
    query: PageQuery,
    reply: 'bare',
    result: WorkflowPage,
    names: { workflow: '/workflows/0/id', cursor: '/next_cursor' },
    handle: (ctx, { resource, query }) => listWorkflows(ctx, resource, query),
  }),
  route({
    method: 'GET',
    path: '/workflows/:workflow',
    summary: 'Show a workflow with its statistics and versions',
    description:
      'The definition is that of the version in force, or of `?version=`. Secrets of webhooks are shown as `***`; a PATCH that sends that back keeps them.',
    tag: 'Workflows',
    errors: ['EDIT_CONFLICT'],
    access: onWorkflow('Read'),
    changes: 'nothing',
    params: WorkflowPath,
    query: VersionQuery,
    conditional: true,
    reply: 'bare',
    result: WorkflowDetail,
    handle: (ctx, { resource, query }) => getWorkflow(ctx, resource, query.version),
  }),
  route({
    method: 'PATCH',
    path: '/workflows/:workflow',
    summary: 'Put a new version of a workflow in force, or pause it',
    description:
      'Each member that is given replaces the whole one; the result is checked as a new workflow is. Runs go on with the version that they began with. Without `version` the minor number is raised; `status` alone makes no version.',
    tag: 'Workflows',
    errors: [
      'WORKFLOW_VERSION_EXISTS',
      'WORKFLOW_PATH_TAKEN',
      'EDIT_CONFLICT',
      'QUOTA_EXCEEDED',
      ...ON_THE_WAY,
    ],
    access: onWorkflowToChange(),
    changes: 'organization',
    params: WorkflowPath,
    body: PatchBody,
    weigh: weighDefinition,
    conditional: true,
    reply: 'bare',
    result: Updated,
    names: { version: '/version' },
    async handle(ctx, { resource, ...sent }) {
      const { row, updatedFields } = await updateWorkflow(ctx, resource, sent);
      const isStatus = updatedFields.length === 1 && updatedFields[0] === 'status';
      const message = `Workflow ${row.id} is ${isStatus ? row.status : `at version ${row.version}`}`;
      return new Tagged(tagOf(row), {
        ...namedAs(row, message),
        updatedFields: [...updatedFields],
      });
    },
  }),
  route({
    method: 'DELETE',
    path: '/workflows/:workflow',
    summary: 'Delete a workflow with all its versions',
    description:
      'While runs are active, or other workflows run it as a subworkflow, it needs `?confirm=true`. Its runs are then cancelled and undo what they did; those of the others fail where they come to it. Runs stay readable by the UUID of the workflow until their retention ends. It needs what storing it needed, on what its version in force reaches and is still there.',
    tag: 'Workflows',
    errors: ['WORKFLOW_IN_USE', 'WORKFLOW_RUNNING'],
    access: onWorkflow('Write'),
    changes: 'organization',
    params: WorkflowPath,
    query: DeleteQuery,
    conditional: true,
    reply: 'bare',
    result: Deleted,
    async handle(ctx, { resource, query, ifMatch, demands }) {
      const confirmed = query.confirm === 'true';
      const active = await deleteWorkflow(ctx, resource, { confirmed, ifMatch, demands });
      const { id } = resource.row;
      return {
        message: `Workflow ${id} deleted`,
        id,
        activeInstances: active,
        terminationStatus: active > 0 ? 'cancelling' : 'none',
      };
    },
  }),
];
