/** What operations on runs refuse, with what to send instead. Spec: workflows.md §6. */
import { beforeAll, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../proto/json.ts';
import { failure, startGateway, type TestGateway } from '../../test/gateway.ts';

const NO_EVENT = 'must be the id of an event';
const NEITHER = 'must have ids or filter: {"filter": {}} means all';

let gateway: TestGateway;
let run: string;

beforeAll(async () => {
  gateway = await startGateway('SuperAdmin');
  const actions = ['a', 'b'].map(
    (id, at): JsonObject => ({
      ...{ id, type: 'wait', mode: 'duration', duration: 'PT0.001S' },
      next: at === 0 ? 'b' : null,
    }),
  );
  await gateway.call('POST', '/workflows', { id: 'flow', name: 'Flow', actions });
  const started = await gateway.call('POST', '/workflows/flow?synchronous=true', {});
  run = (started.body as { run_id: string }).run_id;
});

const watch = async (query: string, last?: string) => {
  const response = await gateway.send(`/workflows/flow/executions/${run}/events${query}`, {
    headers: {
      Authorization: `Bearer ${await gateway.token()}`,
      ...(last === undefined ? {} : { 'Last-Event-ID': last }),
    },
  });
  return { status: response.status, text: await response.text() };
};

test.each([
  ['after', '?after=x', undefined],
  ['Last-Event-ID', '', 'x'],
  ['Last-Event-ID', '?after=1', '1.5'],
  ['Last-Event-ID', '', '-1'],
])('live events after what is no id: %s, %j, %j', async (path, query, last) => {
  const { status, text } = await watch(query, last);
  const { message, details } = JSON.parse(text) as JsonObject;
  expect({ status, message, details }).toEqual({
    status: 400,
    message: `${path}: ${NO_EVENT}`,
    details: [{ path, message: NO_EVENT }],
  });
});

test('live events go on after the one that the header names', async () => {
  const all = await watch('');
  expect(await watch('', '')).toEqual(all);
  const [first = ''] = /(?<=^id: )\d+/m.exec(all.text) ?? [];
  const rest = await watch('', first);
  expect(rest).toEqual({ status: 200, text: all.text.slice(all.text.indexOf('\n\n') + 2) });
  expect(rest.text).not.toBe('');
});

test.each(['/workflows/flow/executions/cancel', '/workflows/flow/dead-letters/redrive'])(
  '%s says that it takes ids or a filter',
  async (path) => {
    const send = (body: Json) => gateway.call('POST', path, body);
    const told = (message: string, at = 'body') => ({
      status: 400,
      body: failure('BAD_REQUEST', `${at}: ${message}`, [{ path: at, message }]),
    });
    expect(await send({})).toEqual(told(NEITHER));
    expect(await send({ all: true })).toEqual(told(NEITHER));
    expect(await send({ ids: ['x'], filter: {} })).toEqual(
      told('has ids and filter: give one of them'),
    );
    expect(await send({ ids: [] })).toEqual(told('may not be empty', 'ids'));
    expect(await send({ fliter: {} })).toMatchObject({
      body: { message: expect.stringContaining('did you mean "filter"?') },
    });
    expect(await send({ filter: { since: 'now' } })).toMatchObject({
      body: { message: expect.stringMatching(/^filter.since: must be a time in ISO 8601/) },
    });
    expect(await send({ filter: {} })).toMatchObject({ status: 200, body: { done: [] } });
  },
);
