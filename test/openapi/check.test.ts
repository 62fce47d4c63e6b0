/** That replies are held to the description: whatever it does not have is a failure, with a sentence. */
import { expect, test } from 'vitest';
import { check, Undescribed } from './check.ts';
import { Description } from './description.ts';

const described = (schema: unknown) => ({ 'application/json': { schema } });
const Thing = {
  type: 'object',
  properties: { id: { type: 'string' }, made: { type: 'string', format: 'date-time' } },
  required: ['id'],
  additionalProperties: false,
};
const description = new Description({
  paths: {
    '/things/{thing}': {
      get: {
        responses: {
          200: {
            headers: {
              ETag: { required: true, schema: { type: 'string', pattern: '^"' } },
              Age: { schema: { type: 'integer' } },
            },
            content: {
              ...described(Thing),
              'application/x-ndjson': { schema: { type: 'integer' } },
              'text/event-stream': { schema: { type: 'integer' } },
            },
          },
          304: {},
        },
      },
    },
    '/things/all': { get: { responses: { 200: { content: described({ type: 'array' }) } } } },
  },
  components: {
    responses: {
      NOT_FOUND: { content: described(true) },
      METHOD_NOT_ALLOWED: { content: described(true) },
    },
  },
});

interface Answer {
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What is wrong with the answer; nothing when it is described. */
function faultOf({ method = 'GET', path = '/things/1', status = 200, ...rest }: Answer) {
  const isThing = path === '/things/1' && method !== 'PUT' && status === 200;
  const headers = new Headers({
    'Content-Type': 'application/json',
    ...(isThing ? { ETag: '"1"' } : {}),
    ...rest.headers,
  });
  try {
    const answered = { status, headers };
    check(description, { method, path }, answered)?.accept(rest.body ?? '{"id":"1"}');
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Undescribed) return thrown.message;
    throw thrown;
  }
}

test.each<[string, Answer]>([
  ['its status, headers and body', {}],
  ['an optional header of the right type', { headers: { Age: '3' } }],
  ['headers of HTTP', { headers: { Date: 'x', Connection: 'keep-alive' } }],
  [
    'parameters of the media type',
    { headers: { 'Content-Type': 'application/json; charset=utf-8' } },
  ],
  ['a line', { headers: { 'Content-Type': 'application/x-ndjson' }, body: '7' }],
  ['an event', { headers: { 'Content-Type': 'text/event-stream' }, body: 'id: 1\ndata: 7' }],
  ['a comment', { headers: { 'Content-Type': 'text/event-stream' }, body: ': still here' }],
  ['the path without parameters before the one with', { path: '/things/all', body: '[]' }],
  ['an unknown path that is 404', { path: '/other', status: 404, body: 'null' }],
  ['an unknown method that is 405', { method: 'PUT', status: 405, body: 'null' }],
  ['HEAD like GET, without a body', { method: 'HEAD', body: '' }],
])('takes %s', (_what, answer) => {
  expect(faultOf(answer)).toBeUndefined();
});

test.each<[string, Answer, string]>([
  ['a status', { status: 201 }, 'it has 200, 304'],
  ['a header', { headers: { 'X-More': '1' } }, 'it has no header x-more'],
  [
    'a header of another form',
    { headers: { ETag: '1' } },
    'header ETag is 1: body must match pattern "^""',
  ],
  ['a number that is none', { headers: { Age: 'x' } }, 'header Age is x: body must be integer'],
  [
    'a media type',
    { headers: { 'Content-Type': 'text/html' } },
    'its content is application/json or application/x-ndjson or text/event-stream, not text/html',
  ],
  ['a body where there is none', { status: 304 }, 'it has no content, not even application/json'],
  ['a member', { body: '{"id":"1","more":1}' }, 'body has more, which is not described'],
  ['a missing member', { body: '{}' }, "body must have required property 'id'"],
  ['a member of another type', { body: '{"id":1}' }, 'body/id must be string'],
  [
    'a text of another format',
    { body: '{"id":"1","made":"now"}' },
    'body/made must match format "date-time"',
  ],
  [
    'a line',
    { headers: { 'Content-Type': 'application/x-ndjson' }, body: '"7"' },
    'body must be integer',
  ],
  [
    'an event',
    { headers: { 'Content-Type': 'text/event-stream' }, body: 'data: "7"' },
    'body must be integer',
  ],
  ['what is no JSON', { body: '{' }, 'its body is not JSON: {'],
  ['an operation', { path: '/other' }, 'there is no such operation, which is 404'],
  ['a method', { method: 'PUT' }, 'there is no such operation, which is 405'],
])('fails on %s that the description does not have', (_what, answer, fault) => {
  expect(faultOf(answer)).toContain(`and the description says otherwise: ${fault}`);
});
