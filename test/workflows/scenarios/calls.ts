/** Scenarios of calls and of errors: call, data-flow, try, raise. */
import type { JsonObject } from '../../../proto/json.ts';
import { get, LOGGED_IN, RAISE, type Scenario, set, succeeds } from './scenario.ts';

/** The two scenarios of `try` differ in the status that is caught. */
const tryGetPet = (status: string): JsonObject => ({
  actions: [get('getPet', '/pet/getPetByName', { name: '$.input.petName' })],
  errorHandler: {
    actions: {
      getPet: {
        fallback: {
          id: 'catch',
          type: 'dynamicAction',
          selection: {
            expression: '$.error.details.status',
            options: {
              [status]: set('setError', {
                error: {
                  type: '$.error.code',
                  status: '$.error.details.status',
                  title: '$.error.message',
                  instance: '$.error.action',
                },
              }),
            },
          },
        },
      },
    },
  },
});

/** Those that are run. */
export const CALLS: readonly Scenario[] = [
  {
    feature: 'try',
    scenario: 'Try Handle Caught Error',
    definition: tryGetPet('404'),
    input: { petName: 'Milou' },
    ends: succeeds({
      error: {
        type: 'UPSTREAM_STATUS',
        status: 404,
        title: 'The endpoint answered 404',
        instance: 'getPet',
      },
    }),
    ran: ['getPet', 'getPet.catch', 'getPet.catch.setError'],
  },
  {
    feature: 'try',
    scenario: 'Try Raise Uncaught Error',
    definition: tryGetPet('503'),
    input: { petName: 'Milou' },
    ends: {
      status: 'failed',
      error: {
        code: 'NO_OPTION',
        message: 'There is no option 404, and no default',
        action: 'catch',
      },
    },
    ran: ['getPet', 'getPet.catch'],
  },
  {
    feature: 'raise',
    scenario: 'Raise task with inline error',
    note: 'No action raises an error of its own type and status: a template refuses, with its message and code in `details`',
    definition: {
      actions: [{ id: 'raiseError', type: 'template', template: RAISE.id, input: {} }],
    },
    input: {},
    ends: {
      status: 'failed',
      error: {
        code: 'TEMPLATE_FAILED',
        message: 'Raise: transformationRules.0: Compliance Error',
        action: 'raiseError',
        details: [
          {
            path: 'transformationRules.0',
            message: 'Compliance Error',
            code: 'https://serverlessworkflow.io/errors/types/compliance',
          },
        ],
      },
    },
    ran: ['raiseError'],
  },
  {
    feature: 'data-flow',
    scenario: 'Input Filtering',
    definition: { actions: [set('setPlayerId', { playerId: '$.input.user.claims.subject' })] },
    input: { user: { claims: { subject: '6AsnRgGEB0q2O7ux9JXFAw' } } },
    ends: succeeds({ playerId: '6AsnRgGEB0q2O7ux9JXFAw' }),
    ran: ['setPlayerId'],
  },
  {
    feature: 'data-flow',
    scenario: 'Output Filtering',
    note: 'A path takes no values: the pet is asked for by its query, here and below',
    definition: {
      actions: [get('getPet', '/pet', { id: '$.input.petId' }, { output: '$.output.body.id' })],
    },
    input: { petId: 1 },
    ends: succeeds(1),
    ran: ['getPet'],
  },
  {
    feature: 'data-flow',
    scenario: 'Use Non-object Output',
    definition: {
      actions: [
        get(
          'getPetById1',
          '/pet',
          { id: '$.input.petId' },
          { output: '$.output.body.id', next: 'getPetById2' },
        ),
        get('getPetById2', '/pet', { id: 2 }, { output: '$.output.body.id' }),
      ],
      output: { ids: ['$.actions.getPetById1.output', '$.actions.getPetById2.output'] },
    },
    input: { petId: 1 },
    ends: succeeds({ ids: [1, 2] }),
    ran: ['getPetById1', 'getPetById2'],
  },
  {
    feature: 'call',
    scenario: 'Call HTTP With Content Output',
    definition: {
      actions: [
        get(
          'findPet',
          '/pet/findByStatus',
          { status: '$.input.status' },
          { output: '$.output.body[0]' },
        ),
      ],
    },
    input: { status: 'available' },
    ends: succeeds({ id: 1, name: 'Rex', status: 'available' }),
    ran: ['findPet'],
  },
  {
    feature: 'call',
    scenario: 'Call HTTP With Response Output',
    note: 'The request stands in the input of the action',
    definition: {
      actions: [
        get(
          'getPet',
          '/pet',
          { id: '$.input.petId' },
          { output: { status: '$.output.status', content: '$.output.body' } },
        ),
      ],
    },
    input: { petId: 1 },
    ends: succeeds({ status: 200, content: { id: 1, name: 'Rex', status: 'available' } }),
    ran: ['getPet'],
  },
  {
    feature: 'call',
    scenario: 'Call HTTP Using Basic Authentication',
    note: 'A login is the endpoint’s, where it is sealed: a run never has it',
    definition: {
      actions: [
        {
          id: 'login',
          type: 'endpoint',
          endpoint: LOGGED_IN,
          operation: 'read',
          input: { path: '/basic-auth' },
          output: '$.output.body',
        },
      ],
    },
    input: {},
    ends: succeeds({ authenticated: true }),
    ran: ['login'],
  },
];
