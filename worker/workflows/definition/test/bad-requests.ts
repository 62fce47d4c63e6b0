/** Requests of endpoint actions that cannot be, each with all that is told of it. */
import { type Bad, endpoint, flow, template } from './builders.ts';

export const REQUESTS: readonly Bad[] = [
  [
    'an endpoint that is not there',
    flow(endpoint('gone', { query: 'select 1' })),
    ['actions.0.endpoint: names no endpoint of the organization: gone'],
  ],
  [
    'no endpoint, operation or input',
    flow({ id: 'e', type: 'endpoint' }),
    [
      'actions.0.endpoint: is required',
      'actions.0.operation: is required: read or write',
      'actions.0.input: is required: the request that is sent',
    ],
  ],
  [
    'an unknown operation',
    flow(endpoint('sql', { query: 'select 1' }, { operation: 'delete' })),
    ['actions.0.operation: "delete" is not known; known are read, write'],
  ],
  [
    'an input that is a text',
    flow(endpoint('sql', 'select 1')),
    ['actions.0.input: must be an object'],
  ],
  [
    'a path of an expression within a statement',
    flow(endpoint('sql', { query: "select '$.input.a', $.input.x -- $.input.b" })),
    [
      'actions.0.input.query: has $.input.x, and a statement is constant: put "$.input.x" into params, and $1 in its place',
    ],
  ],
  [
    'an unknown member of a request',
    flow(endpoint('sql', { query: 'select 1', parms: [] })),
    ['actions.0.input: "parms" is not known; did you mean "params"?'],
  ],
  [
    'an unknown type of a request',
    flow(endpoint('sql', { type: 'qery', query: 'select 1' })),
    ['actions.0.input.type: "qery" is not known; did you mean "query"?'],
  ],
  [
    'a write as a read',
    flow(endpoint('sql', { type: 'execute', query: 'delete from t' })),
    ['actions.0.input.type: writes: its operation is write'],
  ],
  [
    'a statement that is an expression',
    flow(endpoint('sql', { query: '$.input.sql' })),
    [
      'actions.0.input.query: is one expression, and so the statement would be data: write the statement',
    ],
  ],
  [
    'a statement that is put together',
    flow(endpoint('sql', { query: '$("select * from " + $.input.table)' })),
    [
      'actions.0.input.query: is one expression, and so the statement would be data: write the statement',
    ],
  ],
  [
    'a type that is an expression',
    flow(endpoint('sql', { type: '$.input.type', query: 'select 1' })),
    ['actions.0.input.type: has an expression, and is fixed: it decides what the request is'],
  ],
  [
    'a value that does not parse',
    flow(endpoint('sql', { query: 'select $1', params: ['$.input.('] })),
    ['actions.0.input.params.0: unexpected token (1:9)'],
  ],
  [
    'a value of what comes later',
    flow(
      endpoint('sql', { query: 'select $1', params: ['$.actions.b.output'] }, { next: 'b' }),
      template('b'),
    ),
    ['actions.0.input.params.0: names "b", which cannot have run before (1:1)'],
  ],
  [
    'a script that is an expression',
    flow(
      endpoint('kv', { type: 'eval', script: '$.input.lua', numkeys: 0 }, { operation: 'write' }),
    ),
    ['actions.0.input.script: has an expression, and is fixed: it decides what the request is'],
  ],
  [
    'a JSON path that is not escaped',
    flow(endpoint('kv', { type: 'json.get', key: 'k', path: '$.a' })),
    [
      'actions.0.input.path: is an expression here: write "$$.a" for the text itself, or $(…) for an expression',
    ],
  ],
  [
    'a stream id that is not escaped',
    flow(endpoint('kv', { type: 'xread', keys: ['s'], ids: ['$'] })),
    [
      'actions.0.input.ids.0: is an expression here: write "$$" for the text itself, or $(…) for an expression',
    ],
  ],
  [
    'a collection of Mongo that is missing',
    flow(endpoint('doc', { type: 'find', filter: {} })),
    ['actions.0.input.collection: is required'],
  ],
  [
    'a command that is an expression',
    flow(
      endpoint('doc', { type: 'run_command', command: '$.input.command' }, { operation: 'write' }),
    ),
    [
      'actions.0.input.command: is one expression, and so the command would be data: write the command',
    ],
  ],
  [
    'a path that is an expression',
    flow(endpoint('web', { path: '$.input.path' })),
    [
      'actions.0.input.path: is an expression, and a path is constant up to ?: begin it with that text, or put values into query',
    ],
  ],
  [
    'a path that is put together',
    flow(endpoint('web', { path: '$("/orders/" + $.input.id)' })),
    [
      'actions.0.input.path: is an expression, and a path is constant up to ?: begin it with that text, or put values into query',
    ],
  ],
  [
    'a method that is an expression',
    flow(endpoint('web', { method: '$.input.method', path: '/' })),
    ['actions.0.input.method: has an expression, and is fixed: it decides what the request is'],
  ],
  [
    'a POST as a read',
    flow(endpoint('web', { method: 'POST', path: '/' })),
    ['actions.0.input.type: writes: its operation is write'],
  ],
  [
    'statuses that are none',
    flow(endpoint('web', { path: '/' }, { expect: [200, '6xx', 'ok'] })),
    [
      'actions.0.expect.1: must be a status, such as 404 or "2xx"',
      'actions.0.expect.2: must be a status, such as 404 or "2xx"',
    ],
  ],
  [
    'no status',
    flow(endpoint('web', { path: '/' }, { expect: [] })),
    ['actions.0.expect: must have at least one status'],
  ],
  [
    'statuses of a database',
    flow(endpoint('sql', { query: 'select 1' }, { expect: [200] })),
    ['actions.0.expect: is of endpoints of kind Http alone'],
  ],
];
