/** Definitions with many actions, by how these stand to each other. */
import type { JsonObject } from '../../../proto/json.ts';
import { idOf, type Reader, range } from './readers.ts';

/** The actions of a definition, and what else it has for them. */
type Layout = (count: number, reader: Reader) => JsonObject;

const TEMPLATE = { type: 'template', template: 't' };

function chain(count: number, reader: Reader, from = 0): JsonObject[] {
  return range(count, (at) => ({
    id: idOf(from + at),
    ...TEMPLATE,
    input: reader(from + at, count),
    ...(at + 1 < Math.floor(count) ? { next: idOf(from + at + 1) } : {}),
  }));
}

function graph(count: number, reader: Reader, after: (at: number) => number[]): JsonObject[] {
  return range(count, (at) => ({
    ...{ id: idOf(at), ...TEMPLATE, input: reader(at, count) },
    after: after(at).map(idOf),
  }));
}

/** Layouts by how the actions stand to each other. */
export const LAYOUTS: Readonly<Record<string, Layout>> = {
  'a chain': (count, reader) => ({ actions: chain(count, reader) }),
  'a list that is never reached': (count, reader) => ({
    actions: chain(count, reader).map(({ next: _next, ...each }) => each),
  }),
  'a chain that begins in its middle': (count, reader) => ({
    start: idOf(Math.floor(count / 2)),
    actions: chain(count, reader),
  }),
  'a graph in a row': (count, reader) => ({
    actions: graph(count, reader, (at) => (at === 0 ? [] : [at - 1])),
  }),
  'a star': (count, reader) => ({
    actions: graph(count, reader, (at) => (at === 0 ? [] : [0])),
  }),
  'a star that closes': (count, reader) => ({
    actions: graph(count, reader, (at) => {
      if (at === 0) return [];
      return at === Math.floor(count) - 1 ? range(at, (each) => each) : [0];
    }),
  }),
  'one after very many': (count, reader) => ({
    actions: [
      { id: 'a', ...TEMPLATE, input: reader(0, 1) },
      { id: 'b', ...TEMPLATE, after: ['a', ...range(count, (at) => `b${at}`)] },
    ],
  }),
  'one after another very often': (count) => ({
    actions: [
      { id: 'a', ...TEMPLATE },
      { id: 'b', ...TEMPLATE, after: range(count, () => 'a') },
    ],
  }),
  'two layers': (count, reader) => ({
    actions: graph(count, reader, (at) => (at < count / 2 ? [] : range(8, (each) => each))),
  }),
  'a circle': (count, reader) => ({
    actions: graph(count, reader, (at) => [(at + 1) % Math.max(1, Math.floor(count))]),
  }),
  branches: (count, reader) => ({
    actions: [
      {
        ...{ id: 'p', type: 'parallel' },
        branches: range(100, (at) => chain(count / 100, reader, at * 100_000)),
      },
    ],
  }),
  'too many branches': (count, reader) => ({
    actions: [{ id: 'p', type: 'parallel', branches: range(count, (at) => chain(1, reader, at)) }],
  }),
  'loops in a row': (count, reader) => ({
    actions: range(count, (at) => ({
      ...{ id: `loop${at}`, type: 'loop', collection: '$.input.all' },
      action: { id: idOf(at), ...TEMPLATE, input: reader(at, count) },
      ...(at + 1 < Math.floor(count) ? { next: `loop${at + 1}` } : {}),
    })),
  }),
  'a loop around a chain': (count, reader) => ({
    actions: [{ id: 'l', type: 'loop', collection: '$.input.all', action: chain(count, reader) }],
  }),
  aggregations: (count, reader) => ({
    actions: [
      {
        ...{ id: 'l', type: 'loop', collection: '$.input.all' },
        action: { id: idOf(0), ...TEMPLATE },
        aggregation: Object.fromEntries(
          range(count, (at) => [`r${at}`, String(reader(at, count)).replace(/^\$\(/, '(')]),
        ),
      },
    ],
  }),
  options: (count, reader) => ({
    actions: [
      {
        ...{ id: 'd', type: 'dynamicAction' },
        selection: {
          expression: '$.input.one',
          options: Object.fromEntries(
            range(count, (at) => [idOf(at), { ...TEMPLATE, input: reader(at, count) }]),
          ),
          default: idOf(count).replace('action', 'auction'),
        },
      },
    ],
  }),
  compensations: (count, reader) => ({
    actions: chain(count, reader).map((each, at) => ({
      ...each,
      compensation: { id: `undo${at}`, ...TEMPLATE, input: reader(at, count) },
    })),
  }),
  'an own fallback for each': (count, reader) => ({
    actions: chain(count, reader),
    errorHandler: {
      actions: Object.fromEntries(
        range(count, (at) => [idOf(at), { fallback: { id: `f${at}`, ...TEMPLATE } }]),
      ),
    },
  }),
  'one fallback for all': (count, reader) => ({
    actions: chain(count, reader),
    errorHandler: { default: { fallback: { id: 'shared', ...TEMPLATE } } },
  }),
  'a fallback of many': (count, reader) => ({
    actions: [{ id: 'a', ...TEMPLATE, input: '$.actions.shared' }],
    errorHandler: {
      default: {
        fallback: {
          ...{ id: 'shared', type: 'parallel' },
          branches: range(100, (at) => chain(count / 100, reader, at * 100_000)),
        },
      },
    },
  }),
  'routes out of a shared fallback': (count, reader) => ({
    actions: chain(count / 2, reader),
    errorHandler: {
      default: {
        fallback: {
          ...{ id: 'shared', type: 'loop', collection: '$.input' },
          action: range(count / 2, (at) => ({ id: `f${at}`, ...TEMPLATE, next: `f${at + 1}` })),
        },
      },
      actions: Object.fromEntries(
        range(count / 2, (at) => [`f${at}`, { action: idOf(at) }] as const),
      ),
    },
  }),
  'a route for all': (count, reader) => ({
    actions: chain(count, reader),
    errorHandler: { default: { action: idOf(count - 1) } },
  }),
  'an own route for each': (count, reader) => ({
    actions: chain(count, reader),
    errorHandler: {
      actions: Object.fromEntries(range(count, (at) => [idOf(at), { action: idOf(count - 1) }])),
    },
  }),
  'handlers of nobody': (count, reader) => ({
    actions: chain(count / 2, reader),
    errorHandler: {
      actions: Object.fromEntries(
        range(count / 2, (at) => [idOf(at).replace('action', 'auction'), { retry: null }]),
      ),
    },
  }),
  'codes of errors': (count) => ({
    actions: [{ id: 'a', ...TEMPLATE }],
    errorHandler: {
      default: { retry: { retryableErrors: range(count, (at) => `TIMED_OUT${at}`) } },
    },
  }),
  'an escalation for each': (count, reader) => ({
    actions: chain(count, reader),
    errorHandler: {
      actions: Object.fromEntries(
        range(count, (at) => [
          idOf(at),
          { escalation: { notification: { ...TEMPLATE, input: reader(at, count) } } },
        ]),
      ),
    },
  }),
  'assignees of a task': (count) => ({
    actions: [
      {
        ...{ id: 'h', type: 'humanTask', title: 'x' },
        assignees: { users: range(count, (at) => `u${at}`), roles: range(count, () => 'Admin') },
        timeout: { duration: 'P1D', escalation: { roles: range(count, (at) => `group:${at}`) } },
      },
    ],
  }),
  'fields of a form': (count, reader) => ({
    actions: [
      {
        ...{ id: 'h', type: 'humanTask', title: reader(0, count), assignees: { roles: ['Admin'] } },
        form: {
          fields: range(count, (at) => ({
            ...{ id: `f${at}`, type: 'select' },
            options: range(10, (option) => `o${option}`),
          })),
        },
      },
    ],
  }),
  'requests of endpoints': (count, reader) => ({
    actions: range(count, (at) => ({
      ...{ id: idOf(at), type: 'endpoint', endpoint: `e${at}`, operation: 'read' },
      input: { query: 'select $1', params: [reader(at, count)] },
      ...(at + 1 < Math.floor(count) ? { next: idOf(at + 1) } : {}),
    })),
  }),
  'one request of many values': (count, reader) => ({
    actions: [
      {
        ...{ id: idOf(0), type: 'endpoint', endpoint: 'e', operation: 'write' },
        input: {
          query: 'insert into t values ($1)',
          params: range(count, (at) => reader(at, count)),
        },
      },
    ],
  }),
  'one value of many parts': (count, reader) => ({
    actions: [{ id: idOf(0), ...TEMPLATE, input: range(count, (at) => reader(at, count)) }],
    output: range(count / 2, (at) => ({ a: reader(at, count) })),
  }),
  'mappings of triggers': (count, reader) => ({
    trigger: [
      {
        ...{ type: 'event', source: 's', event: 'e' },
        mapping: range(count, (at) => reader(at, count)),
      },
    ],
    actions: [{ id: idOf(0), ...TEMPLATE }],
  }),
  'subworkflows of many names': (count, reader) => ({
    actions: range(count, (at) => ({
      ...{ id: idOf(at), type: 'subworkflow', workflow: `w${at}`, input: reader(at, count) },
      ...(at + 1 < Math.floor(count) ? { next: idOf(at + 1) } : {}),
    })),
  }),
  'members of no meaning': (count) => ({
    actions: range(count / 20, (at) => ({
      ...{ id: idOf(at), ...TEMPLATE },
      ...Object.fromEntries(range(20, (member) => [`nexd${member}`, member])),
    })),
    ...Object.fromEntries(range(count / 2, (at) => [`nome${at}`, at])),
  }),
  'ids of others': (count, reader) => ({
    actions: chain(count, reader).map((each) => ({ ...each, id: idOf(0) })),
  }),
};
