/** Definitions that are taken, and what they are once they were read. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../proto/json.ts';
import { Budget, type ObjectValue } from '../../language/expressions/index.ts';
import { readWorkflow } from './read.ts';
import {
  condition,
  dynamic,
  endpoint,
  flow,
  loop,
  parallel,
  read,
  task,
  template,
  wait,
} from './test/builders.ts';
import type { Action, Value, Workflow } from './tree.ts';

function workflowOf(members: JsonObject): Workflow {
  const { workflow, faults } = read({ name: 'w', ...members });
  if (workflow === undefined) throw new Error(JSON.stringify(faults));
  return workflow;
}

function actionOf<Type extends Action['type']>(members: JsonObject, id: string, type: Type) {
  const action = workflowOf(members).byId.get(id);
  if (action?.type !== type) throw new Error(`${id} is no ${type}`);
  return action as Extract<Action, { type: Type }>; // Just looked at.
}

const budget = () => new Budget({ fuel: 1e6, depth: 100, outputBytes: 1e6 }, 0);
const evaluated = (value: Value | undefined, root: ObjectValue) => value?.evaluate(root, budget());

test("a statement's own texts and comments may have what looks like a path", () => {
  const query = "select jsonb_path_query(a, '$.input.x'), $$ $.input $$, $1 -- $.actions.a";
  const members = flow(endpoint('sql', { query, params: ['$.input.x'] }));
  expect(actionOf(members, 'e', 'endpoint').endpoint).toBe('sql');
});

describe('values', () => {
  const of = (input: JsonObject[string]) =>
    actionOf(flow(template('a', { input })), 'a', 'template').input;

  test.each([
    ['$.input.x', 7],
    ['$["input"]["x"]', 7],
    ['$(1 + $.input.x)', 8],
    ['$', { input: { x: 7 } }],
    ['$$', '$'],
    ['$$.a', '$.a'],
    ['$$$.a', '$$.a'],
    ['$$(a)', '$(a)'],
    ['$$[0]', '$[0]'],
    ['$(a', '$(a'],
    ['$$(a', '$$(a'],
    ['$5', '$5'],
    ['$$5', '$$5'],
    ['a $.b', 'a $.b'],
    [
      ['$.input.none', '$.input.x'],
      [null, 7],
    ],
    [
      { a: '$.input.none', b: { c: '$.input.x' }, '$.d': 1 },
      { b: { c: 7 }, '$.d': 1 },
    ],
  ])('%j is %j', (input, expected) => {
    expect(evaluated(of(input), { input: { x: 7 } })).toEqual(expected);
  });

  test('are constant where nothing in them is an expression', () => {
    expect(of({ a: '$$.x', b: [1, null] })?.constant).toEqual({ a: '$.x', b: [1, null] });
    expect(of({ a: '$.input.x' })?.constant).toBeUndefined();
  });
});

describe('what expressions read', () => {
  const uses = (members: JsonObject, id: string) => {
    const { input } = actionOf(members, id, 'template');
    const { roots, actions, names } = input?.uses ?? {};
    return { roots: [...(roots ?? [])], actions: [...(actions ?? [])], names: [...(names ?? [])] };
  };

  test('is told, so that no more is loaded', () => {
    const input = {
      a: '$.actions.a.output.x',
      b: '$($.actions["a"]?.status === $.run.id)',
      c: '$.actions.w.url',
    };
    const members = flow(
      template('a', { next: 'b' }),
      template('b', { input, next: 'w' }),
      wait({ mode: 'callback' }),
    );
    expect(uses(members, 'b')).toEqual({
      roots: ['run'],
      actions: [
        ['a', new Set(['output', 'status'])],
        ['w', new Set(['url'])],
      ],
      names: [],
    });
  });

  test('is all that is visible, where an expression reads $ as a whole', () => {
    const members = flow(
      template('a', { next: 'l' }),
      loop([template('b', { next: 'c' }), template('c', { input: '$' })], {
        as: 'row',
        index: 'i',
      }),
    );
    expect(uses(members, 'c')).toEqual({
      roots: ['input', 'trigger', 'run', 'error'],
      actions: [
        ['a', 'all'],
        ['b', 'all'],
      ],
      names: ['row', 'i'],
    });
  });

  test('may be an action of a branch or an option that ran before', () => {
    const input = { a: '$.actions.a.output', x: '$.actions.x.output', f: '$.actions.f.output' };
    const options = { x: { type: 'template', template: 't' } };
    const members = {
      ...flow(
        parallel([template('a')], { next: 'd' }),
        dynamic({ expression: '$.input.k', options }, { next: 'b' }),
        template('b', { input }),
      ),
      errorHandler: { actions: { a: { fallback: template('f') } } },
    };
    expect(uses(members, 'b').actions.map(([id]) => id)).toEqual(['a', 'x', 'f']);
  });

  test('may be the action itself in its compensation, its fallback and its choice', () => {
    const input = '$.actions.a.output';
    const next = { condition: '$.actions.a.output.ok', true: 'b', false: null };
    const members = {
      ...flow(template('a', { next, compensation: template('u', { input }) }), template('b')),
      errorHandler: { actions: { a: { fallback: template('f', { input }) } } },
    };
    expect([uses(members, 'u').actions, uses(members, 'f').actions]).toEqual([
      [['a', new Set(['output'])]],
      [['a', new Set(['output'])]],
    ]);
  });
});

describe('requests of endpoints', () => {
  const requestOf = (named: string, input: JsonObject, rest = {}) =>
    actionOf(flow(endpoint(named, input, rest)), 'e', 'endpoint').request;

  test.each([
    [
      'sql',
      { query: 'select $1', params: ['$.input.x', '$.input.none'] },
      { query: 'select $1', params: [7, null] },
    ],
    [
      'kv',
      { type: 'json.get', key: '$.input.key', path: '$$.a' },
      { type: 'json.get', key: 'k', path: '$.a' },
    ],
    [
      'doc',
      { type: 'find', collection: 'c', filter: { a: '$.input.x' } },
      { type: 'find', collection: 'c', filter: { a: 7 } },
    ],
    ['web', { path: '$("/orders?id=" + $.input.x)' }, { path: '/orders?id=7' }],
  ])('of kind %s are filled', (named, input, expected) => {
    const root = { input: { x: 7, key: 'k' } };
    expect(evaluated(requestOf(named, input), root)).toEqual(expected);
  });

  test('take no operator out of data', () => {
    const request = requestOf('doc', { type: 'find', collection: 'c', filter: { a: '$.input.x' } });
    expect(() => evaluated(request, { input: { x: { $ne: null } } })).toThrow(
      "actions.0.input.filter.a: may hold no operator: names that begin with $ are the author's alone",
    );
  });

  test('say which level they need', () => {
    const levelOf = (input: JsonObject, operation: string) =>
      read({ name: 'w', ...flow(endpoint('kv', input, { operation })) }).references.map((each) =>
        each.kind === 'endpoint' ? each.level : undefined,
      );
    expect(levelOf({ type: 'get', key: 'k' }, 'read')).toEqual(['Read']);
    expect(levelOf({ type: 'set', key: 'k', value: 'v' }, 'write')).toEqual(['Write']);
    expect(levelOf({ type: 'flushall' }, 'write')).toEqual(['Admin']);
  });

  test('of kind Http expect what they say', () => {
    const expects = (rest: object) => {
      const action = actionOf(flow(endpoint('web', { path: '/' }, { ...rest })), 'e', 'endpoint');
      return [200, 302, 404, 500].filter(action.expects);
    };
    expect(expects({})).toEqual([200, 302]);
    expect(expects({ expect: ['2xx', 404] })).toEqual([200, 404]);
    const written = ['200.0', '4.04e2', '50000e-2'].map((text) => JSON.rawJSON(text));
    expect(expects({ expect: written })).toEqual([200, 404, 500]);
  });
});

describe('handlers', () => {
  const members = {
    ...flow(
      template('a', { next: 'l', compensation: template('u') }),
      loop(template('b'), { next: 'z' }),
      template('z'),
    ),
    errorHandler: {
      default: {
        retry: { maxAttempts: 4, multiplier: 3, retryOnErrors: ['TRANSIENT'] },
        fallback: template('f'),
        action: 'z',
        escalation: { threshold: 2, incident: { type: 'template', template: 't' } },
      },
      actions: { b: { fallback: null, retry: null }, u: { retry: { maxAttempts: 2 } } },
      deadLetterQueue: { enabled: true, destination: 'team' },
    },
  };

  test('are those of the default, replaced member by member', () => {
    const { byId, deadLetters } = workflowOf(members);
    const shown = [...byId.values()].map(({ id, handler }) => [
      id,
      handler.retry?.maxAttempts,
      handler.fallback?.id,
      handler.route,
      handler.escalation?.threshold,
    ]);
    expect(shown).toEqual([
      ['a', 4, 'f', 'z', 2],
      ['u', 2, undefined, undefined, 2],
      ['l', undefined, 'f', 'z', 2],
      ['b', undefined, undefined, 'z', 2],
      ['z', 4, 'f', undefined, 2],
      ['f', 4, undefined, undefined, 2],
      ['default-incident', 4, undefined, undefined, undefined],
    ]);
    expect(byId.get('a')?.handler.retry).toEqual({
      maxAttempts: 4,
      initialMs: 1_000,
      rate: 3,
      maxMs: 300_000,
      jitter: false,
      on: new Set(['TRANSIENT']),
    });
    expect(deadLetters).toEqual({
      destination: 'team',
      includeState: false,
      retryable: true,
      retentionMs: 30 * 86_400_000,
    });
  });

  test('of a compensation try it five times', () => {
    const { byId } = workflowOf(flow(template('a', { compensation: template('u') })));
    expect(byId.get('u')?.handler.retry?.maxAttempts).toBe(5);
  });
});

test('a list begins with its first action, or with `start`', () => {
  const actions = [template('b'), template('a', { next: 'b' })];
  const { form, start } = workflowOf({ start: 'a', actions });
  expect([form, start]).toEqual(['list', 'a']);
  expect(workflowOf(flow(condition({ true: null })))).toMatchObject({ form: 'list', start: 'c' });
});

test('a graph goes by `after`, in which what has none begins at once', () => {
  const input = '$.actions.a.output';
  const actions = [
    template('a'),
    template('b', { after: ['a'] }),
    template('c', { after: ['b'], input }),
  ];
  const { form, actions: read } = workflowOf({ actions });
  expect([form, read.map(({ after }) => after)]).toEqual(['graph', [[], ['a'], ['b']]]);
});

test('a version that was stored reads although its endpoint is gone: the action fails', () => {
  const definition = { name: 'w', ...flow(endpoint('sql', { query: 'select 1' })) };
  const { workflow } = readWorkflow(definition, { kindOf: () => undefined, isStored: true });
  const action = workflow?.byId.get('e');
  const request = action?.type === 'endpoint' ? action.request : undefined;
  expect(() => evaluated(request, {})).toThrow('Endpoint sql does not exist');
});

test('a human task waits for those who are named, and tells them more after its time', () => {
  const timeout = { duration: 'PT1H', escalation: { roles: ['SuperAdmin'] } };
  const form = { fields: [{ id: 'ok', type: 'boolean', required: true }] };
  expect(actionOf(flow(task({ timeout, form })), 'h', 'humanTask')).toMatchObject({
    fields: [{ id: 'ok', type: 'boolean', required: true }],
    timeout: { action: undefined, escalation: ['SuperAdmin'] },
  });
});
