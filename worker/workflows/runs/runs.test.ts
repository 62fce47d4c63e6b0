/** Runs in their objects: what is written, what goes on by itself, what others tell them. Spec: workflows.md §3, §4, §7. */
import { describe, expect, test } from 'vitest';
import { insertEndpoint } from '../../test/gateway.ts';
import type { Shown } from '../executions/show.ts';
import { digestNow } from './digest.ts';
import { startRunner } from './test/runner.ts';

const call = (id: string, more: object = {}) => ({
  id,
  type: 'template',
  template: 'echo',
  input: { n: '$.input.n' },
  ...more,
});

describe('a run', () => {
  test('calls its templates one after the other, and answers the last output', async () => {
    const runner = await startRunner();
    await runner.store('two', {
      actions: [call('a', { next: 'b' }), call('b', { input: { n: '$.actions.a.output.of + 1' } })],
    });
    const started = await runner.start('two', { n: 1 });
    expect(started).toMatchObject({ is: 'started', status: 'succeeded' });
    const { run } = started as { run: string };
    expect(await runner.output(run)).toEqual({ of: 2 });
    const { actions } = await runner.shown(run);
    expect(actions.map(({ path, status, attempts }) => [path, status, attempts.length])).toEqual([
      ['a', 'succeeded', 1],
      ['b', 'succeeded', 1],
    ]);
  });

  test('fails with the code of what failed', async () => {
    const runner = await startRunner();
    await runner.store('missing', { actions: [call('a', { template: 'nowhere' })] });
    const started = await runner.start('missing', { n: 1 });
    expect(started).toMatchObject({ status: 'failed' });
    const { record } = await runner.shown((started as { run: string }).run);
    expect(record.error).toMatchObject({ text: expect.stringContaining('TEMPLATE_NOT_FOUND') });
  });

  test('runs loops and branches', async () => {
    const runner = await startRunner();
    await runner.store('many', {
      actions: [
        {
          id: 'each',
          type: 'loop',
          collection: '$.input.items',
          mode: 'parallel',
          action: {
            id: 'both',
            type: 'parallel',
            joinResults: true,
            branches: [
              call('x', { input: { n: '$.item' } }),
              call('y', { input: { n: '$.item * 2' } }),
            ],
          },
        },
      ],
    });
    const started = await runner.start('many', { items: [1, 2, 3] });
    expect(await runner.output((started as { run: string }).run)).toEqual({
      results: [1, 2, 3].map((n) => ({ x: { of: n }, y: { of: n * 2 } })),
      count: 3,
    });
  });

  test('waits for a time, a callback, and an event that came before', async () => {
    const runner = await startRunner();
    await runner.store('waits', {
      actions: [
        { id: 'time', type: 'wait', mode: 'duration', duration: 'PT0.2S', next: 'back' },
        { id: 'back', type: 'wait', mode: 'callback', next: 'event' },
        {
          id: 'event',
          type: 'wait',
          eventSource: 'shop',
          eventPattern: 'order.*',
          filter: 'event.data.n === $.input.n',
        },
      ],
      output: { back: '$.actions.back.output', event: '$.actions.event.output.data' },
    });
    const started = await runner.start('waits', { n: 7 }, {}, false);
    const { run } = started as { run: string };
    await expect
      .poll(async () =>
        (await runner.shown(run)).actions.map(({ path, status }) => `${path} ${status}`),
      )
      .toEqual(['time succeeded', 'back waiting']);
    const { orgUuid, orgId, sealedDataKey } = (await runner.shown(run)).record.head;
    const events = runner.bindings.ORGANIZATION_EVENTS.getByName(orgUuid);
    const time = new Date().toISOString();
    const of = (id: string, n: number) => ({
      source: 'shop',
      event: 'order.paid',
      id,
      time,
      data: JSON.stringify({ n }),
    });
    const owner = { orgUuid, orgId, sealedDataKey };
    expect(await events.append(owner, [of('1', 5), of('2', 7), of('2', 7)])).toEqual([
      false,
      false,
      true,
    ]);
    const { callbackToken } = await import('./test/callbacks.ts');
    const token = await callbackToken(runner, run, 'back');
    expect(await runner.object(run).callBack(token, run, 'back', '{"ok":true}')).toBe(true);
    expect(await runner.object(run).callBack(token, run, 'back', '{"ok":true}')).toBe(false);
    await runner.until(run, 'succeeded');
    expect(await runner.output(run)).toEqual({ back: { ok: true }, event: { n: 7 } });
  });

  test('of a subworkflow is a run of its own, and undone with its parent', async () => {
    const runner = await startRunner();
    await runner.store('inner', { actions: [call('a', { compensation: call('undo-a') })] });
    await runner.store('outer', {
      actions: [
        { id: 'sub', type: 'subworkflow', workflow: 'inner', input: { n: '$.input.n' }, next: 'b' },
        call('b', { template: 'nowhere' }),
      ],
    });
    const started = await runner.start('outer', { n: 3 });
    const { run } = started as { run: string };
    expect(started).toMatchObject({ status: 'failed' });
    const { record, actions } = await runner.shown(run);
    expect(record.compensation).toBe('complete');
    expect(actions[0]).toMatchObject({ path: 'sub', status: 'compensated' });
  });

  test('of a workflow that lets one in at a time waits for the one before', async () => {
    const runner = await startRunner();
    await runner.store('narrow', {
      executionSettings: { maxConcurrency: 1 },
      actions: [{ id: 'w', type: 'wait', mode: 'callback' }],
    });
    const first = (await runner.start('narrow', {}, {}, false)) as { run: string };
    await runner.until(first.run, 'waiting');
    const second = (await runner.start('narrow', {}, {}, false)) as { run: string };
    expect((await runner.shown(second.run)).record.status).toBe('queued');
    expect(await runner.object(first.run).cancel(first.run)).toMatchObject({ run: first.run });
    await runner.until(first.run, 'cancelled');
    await runner.until(second.run, 'waiting');
  });

  test('does not begin once its workflow is deleted, though the object keeps the definition', async () => {
    const runner = await startRunner();
    await runner.store('gone', {
      actions: [{ id: 'w', type: 'wait', mode: 'duration', duration: 'PT5M' }],
    });
    const started = await runner.start('gone', {}, {}, false);
    const { run } = started as { run: string };
    const { uuid } = (await runner.shown(run)).record.head.workflow;
    await runner.object(run).close(uuid);
    expect((await runner.shown(run)).record.status).toBe('cancelled');
    const id = `${run.slice(0, 1)}${crypto.randomUUID().slice(1)}`;
    expect(await runner.start('gone', {}, { id })).toEqual({ is: 'no-version' });
  });

  test('of many large values is told in parts, none left out', async () => {
    const runner = await startRunner();
    const text = 'x'.repeat(60_000);
    await runner.store('large', {
      actions: [
        {
          id: 'each',
          type: 'loop',
          collection: '$.input.items',
          mode: 'parallel',
          aggregation: { n: '$.results.length' },
          action: call('x', { input: { n: '$.input.text' } }),
        },
      ],
    });
    const items = Array.from({ length: 100 }, (_, at) => at);
    const { run } = (await runner.start('large', { items, text })) as { run: string };
    const paths = new Set<string>();
    let parts = 0;
    for (let after = 0, hasMore = true; hasMore; parts += 1) {
      const part = await runner.object(run).record(run, { after, limit: 1000 });
      const shown = JSON.parse(part ?? '') as Shown;
      for (const { path } of shown.actions) paths.add(path);
      after = shown.actions.at(-1)?.begun ?? after;
      hasMore = shown.hasMore;
    }
    expect(paths.size).toBe(101);
    expect(parts).toBeGreaterThan(1);
  });

  test('of actions that reach nothing is written once, where its end is waited for', async () => {
    const runner = await startRunner();
    const definition = { actions: [call('a', { next: 'b' }), call('b', { next: 'c' }), call('c')] };
    await runner.store('three', definition);
    const written = async () => {
      const { run } = (await runner.start('three', { n: 1 })) as { run: string };
      return (await runner.shown(run)).record.seq;
    };
    // Each write counts the actions in it, and the run. One that takes long is written in between.
    await expect.poll(written, { timeout: 30_000 }).toBe(4);
  });

  test('is written before each call that changes something, and not for each that reads', async () => {
    const runner = await startRunner();
    await insertEndpoint(runner, 'orders');
    for (const operation of ['read', 'write']) {
      const ask = { id: 'ask', type: 'endpoint', endpoint: 'orders', input: { query: 'select 1' } };
      const loop = { id: 'each', type: 'loop', collection: '$.input.n', continueOnError: true };
      await runner.store(operation, { actions: [{ ...loop, action: { ...ask, operation } }] });
    }
    const written = async (operation: string) => {
      const { run } = (await runner.start(operation, { n: [1, 2, 3, 4] })) as { run: string };
      return (await runner.shown(run)).record.seq;
    };
    // Each write counts the actions in it, and the run. One that takes long is written in between.
    await expect.poll(() => written('read'), { timeout: 30_000 }).toBeLessThan(10);
    expect(await written('write')).toBeGreaterThan(14);
  });

  test('is forked with more than an object answers at once', async () => {
    const runner = await startRunner();
    const text = 'x'.repeat(60_000);
    const each = {
      id: 'each',
      type: 'loop',
      collection: '$.input.items',
      aggregation: { n: '$.results.length' },
      next: 'last',
      action: call('x', { input: { n: '$.input.text' } }),
    };
    await runner.store('large', { actions: [each, call('last', { input: { n: 1 } })] });
    const items = Array.from({ length: 300 }, (_, at) => at);
    const { run } = (await runner.start('large', { items, text })) as { run: string };
    const fork = { from: 'last', reached: [] };
    const { run: copy } = (await runner.start('large', {}, { fork, forkedFrom: run })) as {
      run: string;
    };
    const { record, actions } = await runner.shown(copy);
    expect([record.status, actions[0]?.status]).toEqual(['succeeded', 'succeeded']);
    const part = await runner
      .object(copy)
      .record(copy, { after: 0, limit: 1000, path: 'each[299].x' });
    expect(JSON.parse(part ?? '')).toMatchObject({
      actions: [{ path: 'each[299].x', output: { text: JSON.stringify({ of: text }) } }],
    });
  });

  test('reaches the endpoint whose output it takes by a key', async () => {
    const runner = await startRunner();
    await insertEndpoint(runner, 'orders');
    const load = { id: 'a', type: 'endpoint', endpoint: 'orders', operation: 'read' };
    const keyed = { ...load, idempotencyKey: '$.input.key', input: { query: 'select 1' } };
    await runner.store('load', { actions: [keyed] });
    const { run: first } = (await runner.start('load', { key: 'other' })) as { run: string };
    const { head, reached } = (await runner.shown(first)).record;
    const { orgUuid, orgId, sealedDataKey, workflow } = head;
    const owner = { orgUuid, orgId, sealedDataKey };
    const name = digestNow(JSON.stringify([orgUuid, workflow.uuid, 'a', '"k"']));
    await runner.object(name).claim(owner, name, first, 'a');
    await runner.object(name).settle(owner, name, first, 'a', 'done', '{"n":1}');
    const { run: second } = (await runner.start('load', { key: 'k' })) as { run: string };
    expect(await runner.output(second)).toEqual({ n: 1 });
    expect(reached).toHaveLength(1);
    expect((await runner.shown(second)).record.reached).toEqual(reached);
  });

  test('with the key of another takes its output without calling', async () => {
    const runner = await startRunner();
    await runner.store('once', {
      actions: [call('a', { idempotencyKey: '$.input.key', input: { n: '$.input.n' } })],
    });
    const first = (await runner.start('once', { key: 'k', n: 1 })) as { run: string };
    const second = (await runner.start('once', { key: 'k', n: 2 })) as { run: string };
    expect([await runner.output(first.run), await runner.output(second.run)]).toEqual([
      { of: 1 },
      { of: 1 },
    ]);
  });
});
