/** Who retries or redrives a run needs its rights on all that it can still reach, then and as it goes on. Spec: workflows.md §6. */
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../proto/json.ts';
import { type Doors, nesting, type Person, startDoors } from '../../reach/doors/test/doors.ts';
import { insertEndpoint } from '../../test/gateway.ts';

const insert = (endpoint: string) => ({ endpoint, query: 'insert into orders values (1)' });
const put = (endpoint: string, id = 'put'): JsonObject & { id: Json } => ({
  ...{ id, type: 'endpoint', endpoint, operation: 'write' },
  input: { query: 'insert into orders values (1)' },
});
const writing = (id: string, endpoint: string) => ({
  ...{ id, name: id, request: 'Write' },
  template: insert(endpoint),
});
const moving = (id: string, ...endpoints: readonly string[]) => ({
  ...{ id, name: id, request: 'TwoPhaseTransaction' },
  template: { operations: endpoints.map(insert) },
});
const use = (template: string, id = 'use') => ({ id, type: 'template', template, input: {} });
const sub = (workflow: string, id = 'sub') => ({ id, type: 'subworkflow', workflow, input: {} });
/** Fails before any that follows it. */
const ODD = { id: 'odd', type: 'condition', condition: '$.input.n.a.b()', true: null, false: null };
const inner = (...actions: JsonObject[]): JsonObject => ({ id: 'inner', name: 'Inner', actions });
const EVERY = {
  ...{ id: 'each', type: 'loop', collection: '[1]' },
  action: sub('inner'),
};

interface Way {
  /** Templates and workflows that are there first. */
  readonly first?: readonly (readonly [path: string, body: JsonObject])[];
  readonly actions: readonly JsonObject[];
  readonly handlers?: JsonObject;
  /** What is changed between the run's end and the retry, so that in force nothing is named that bob may not use. */
  readonly changed?: readonly [path: string, body: JsonObject];
}

const templates = (...all: readonly JsonObject[]) =>
  all.map((each) => ['/templates', each] as const);
const workflow = (body: JsonObject) => ['/workflows', body] as const;
/** The template writes where bob may write. */
const elsewhere = ['/templates/tp', { template: insert('open') }] as const;
const after = (action: JsonObject & { id: Json }): JsonObject[] => [
  { ...ODD, true: action.id },
  action,
];

/** By which a run of sam's comes to write on `shop`. */
const WAYS: Readonly<Record<string, Way>> = {
  'an action': { actions: [put('shop')] },
  'a template in a version before the one in force': {
    first: templates(writing('tp', 'shop')),
    actions: [use('tp')],
    changed: elsewhere,
  },
  'a nested template in such a version': {
    first: templates(writing('tp', 'shop'), nesting('stem', 'tp')),
    actions: [use('stem')],
    changed: elsewhere,
  },
  'a transaction of a template in such a version': {
    first: templates(moving('tp', 'open', 'shop')),
    actions: [use('tp')],
    changed: ['/templates/tp', { template: { operations: [insert('open'), insert('open')] } }],
  },
  'a subworkflow': { first: [workflow(inner(put('shop')))], actions: [sub('inner')] },
  'a subworkflow in such a version': {
    first: [workflow(inner(put('shop')))],
    actions: [sub('inner')],
    changed: ['/workflows/inner', { actions: [put('open')] }],
  },
  'a template of a subworkflow': {
    first: [...templates(writing('tp', 'shop')), workflow(inner(use('tp')))],
    actions: [sub('inner')],
  },
  'a subworkflow of a subworkflow': {
    first: [
      workflow({ ...inner(put('shop')), id: 'innermost', name: 'Innermost' }),
      workflow(inner(sub('innermost'))),
    ],
    actions: [sub('inner')],
  },
  'a subworkflow in a loop': { first: [workflow(inner(put('shop')))], actions: [EVERY] },
  'a branch': {
    actions: [{ id: 'both', type: 'parallel', branches: [put('shop'), put('open', 'other')] }],
  },
  'an option': {
    actions: [
      {
        ...{ id: 'choose', type: 'dynamicAction' },
        selection: { expression: "'a'", options: { a: put('shop', 'a') } },
      },
    ],
  },
  'a compensation': { actions: after({ ...put('open'), compensation: put('shop', 'back') }) },
  'a compensation of a subworkflow': {
    first: [workflow(inner({ ...put('open'), compensation: put('shop', 'back') }))],
    actions: after(sub('inner')),
  },
  'a fallback': {
    actions: after(put('open')),
    handlers: { actions: { put: { fallback: put('shop', 'instead') } } },
  },
  'an error route': {
    actions: [ODD, { ...put('open'), next: 'tell' }, { ...put('shop', 'tell'), id: 'tell' }].map(
      (each) => (each.id === 'odd' ? { ...each, true: 'put', false: null } : each),
    ),
    handlers: { actions: { put: { action: 'tell' } } },
  },
  'an escalation': {
    actions: after(put('open')),
    handlers: { actions: { put: { escalation: { notification: put('shop', 'told') } } } },
  },
};

/** Endpoints `shop` and `open`, and bob, who may write everything but `shop`. */
async function startShop() {
  const doors = await startDoors({ POLICY_TTL_MS: 0 });
  await insertEndpoint(doors.gateway, 'shop');
  await insertEndpoint(doors.gateway, 'open');
  const bob = await doors.person('Write');
  await doors.grant(bob, 'None', 'endpoint', 'shop');
  return { doors, bob };
}

/** A run of sam's that failed, with a dead letter. */
async function failed(doors: Doors, { first = [], actions, handlers, changed }: Way) {
  for (const [path, body] of first) await doors.demand('POST', path, body);
  const errorHandler = { deadLetterQueue: { enabled: true }, ...handlers };
  await doors.demand('POST', '/workflows', {
    ...{ id: 'flow', name: 'Flow', errorHandler },
    actions: [...actions],
  });
  const started = await doors.demand('POST', '/workflows/flow?synchronous=true', { n: 1 });
  expect(started).toMatchObject({ status: 'failed' });
  if (changed) await doors.demand('PATCH', ...changed);
  return String(started.run_id);
}

const record = (doors: Doors, run: string, of = 'flow') =>
  doors.demand('GET', `/workflows/${of}/executions/${run}`);

async function letterOf(doors: Doors, run: string): Promise<string> {
  const letters = async () => {
    const { dead_letters: all } = await doors.demand('GET', '/workflows/flow/dead-letters');
    return (all as JsonObject[]).find((each) => each.run_id === run)?.id;
  };
  await expect.poll(letters).toEqual(expect.any(String));
  return String(await letters());
}

const ASKED: Readonly<Record<string, (doors: Doors, run: string) => Promise<string>>> = {
  retry: (_, run) => Promise.resolve(`/workflows/flow/executions/${run}/retry`),
  redrive: async (doors, run) =>
    `/workflows/flow/dead-letters/${await letterOf(doors, run)}/redrive`,
};

describe.each(Object.entries(ASKED))('a %s', (_, pathOf) => {
  test.each(Object.entries(WAYS))(
    'of a run that writes by %s needs Write there',
    async (__, way) => {
      const { doors, bob } = await startShop();
      const run = await failed(doors, way);
      const path = await pathOf(doors, run);
      const before = await record(doors, run);
      const refused = await doors.call('POST', path, undefined, bob);
      expect(refused).toMatchObject({
        status: 403,
        body: {
          code: 'FORBIDDEN',
          message: expect.stringMatching(/Write access on endpoint shop$/),
        },
      });
      expect(await record(doors, run)).toEqual(before);
      await doors.grant(bob, 'Write', 'endpoint', 'shop');
      expect((await doors.call('POST', path, undefined, bob)).status).toBe(202);
    },
  );
});

describe('what counts', () => {
  test('is the version that the run is pinned to, not the one in force', async () => {
    const { doors, bob } = await startShop();
    const run = await failed(doors, {
      first: templates(writing('tp', 'open')),
      actions: [use('tp')],
      changed: ['/templates/tp', { template: insert('shop') }],
    });
    const path = `/workflows/flow/executions/${run}/retry`;
    expect((await doors.call('POST', path, undefined, bob)).status).toBe(202);
  });

  test('is Write on a subworkflow with rights of its own, Admin once another version is in force', async () => {
    const { doors, bob } = await startShop();
    const door = { ...inner(put('shop')), runAs: 'author' };
    const run = await failed(doors, { first: [workflow(door)], actions: [sub('inner')] });
    const path = `/workflows/flow/executions/${run}/retry`;
    const retried = async () => {
      const { status } = await doors.call('POST', path, undefined, bob);
      await expect.poll(async () => (await record(doors, run)).status).toBe('failed');
      return status;
    };
    await doors.grant(bob, 'Read', 'workflow', 'inner');
    expect(await retried()).toBe(403);
    await doors.grant(bob, 'Write', 'workflow', 'inner');
    expect(await retried()).toBe(202);
    await doors.demand('PATCH', '/workflows/inner', { runAs: null });
    expect(await retried()).toBe(403);
    await doors.grant(bob, 'Admin', 'workflow', 'inner');
    expect(await retried()).toBe(202);
  });
});

describe('as the run goes on', () => {
  const WAIT = {
    ...{ id: 'wait', type: 'wait', mode: 'event', since: 'wait' },
    ...{ eventSource: 'test', eventPattern: 'go' },
  };
  const refused = { status: 'failed', error: { code: 'FORBIDDEN' } };

  /** A run of sam's that waits, was cancelled, and which somebody retries. */
  async function waiting(doors: Doors, action: JsonObject, by: Person | undefined) {
    await doors.demand('POST', '/workflows', {
      ...{ id: 'flow', name: 'Flow' },
      actions: [{ ...WAIT, next: action.id }, action] as Json[],
    });
    const { body } = await doors.call('POST', '/workflows/flow', {});
    const run = String((body as JsonObject).run_id);
    const path = `/workflows/flow/executions/${run}`;
    const is = (status: string) =>
      expect.poll(async () => (await record(doors, run)).status).toBe(status);
    await is('waiting');
    expect((await doors.call('POST', `${path}/cancel`)).status).toBe(202);
    await is('cancelled');
    expect((await doors.call('POST', `${path}/retry`, undefined, by)).status).toBe(202);
    await is('waiting');
    return run;
  }

  /** How the run ends once it waits no more. */
  async function ended(doors: Doors, run: string): Promise<JsonObject> {
    const event = { event: 'go', source: 'test', data: {} };
    expect((await doors.call('POST', '/events', event)).status).toBe(202);
    await expect.poll(async () => (await record(doors, run)).status).toBe('failed');
    return record(doors, run);
  }

  test('each action needs the rights of who retried it, as they are then', async () => {
    const { doors, bob } = await startShop();
    await doors.grant(bob, 'Write', 'endpoint', 'shop');
    const run = await waiting(doors, put('shop'), bob);
    await doors.grant(bob, 'None', 'endpoint', 'shop');
    const message =
      'Who retried the run needs all rights of it: This operation needs Write access on endpoint shop';
    expect(await ended(doors, run)).toMatchObject({
      ...refused,
      error: { code: 'FORBIDDEN', message: expect.stringContaining(message.slice(0, 80)) },
    });
    // Who holds them retries it in turn: no node serves the endpoint.
    await doors.call('POST', `/workflows/flow/executions/${run}/retry`);
    const code = async () => ((await record(doors, run)).error as JsonObject | undefined)?.code;
    await expect.poll(code).toBe('NODE_UNAVAILABLE');
  });

  test.each([
    ['a template', [], use('tp')],
    ['a subworkflow, whose versions are chosen then', [inner(use('tp'))], sub('inner')],
  ] as const)('%s needs them, too', async (_, more, action) => {
    const { doors, bob } = await startShop();
    await doors.demand('POST', '/templates', writing('tp', 'open'));
    for (const each of more) await doors.demand('POST', '/workflows', each);
    const run = await waiting(doors, action, bob);
    if (more.length > 0) await doors.demand('PATCH', '/templates/tp', { template: insert('shop') });
    else await doors.grant(bob, 'None', 'endpoint', 'open');
    expect(await ended(doors, run)).toMatchObject(refused);
  });

  test('one that nobody else retried keeps to its own', async () => {
    const { doors } = await startShop();
    const run = await waiting(doors, put('shop'), undefined);
    expect(await ended(doors, run)).toMatchObject({ error: { code: 'NODE_UNAVAILABLE' } });
  });
});
