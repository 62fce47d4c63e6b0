/** Objects that cannot be asked, or do not answer: nothing runs twice, and no reply is withheld. */
import { env } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { failure } from '../test/gateway.ts';
import { again, elapse, fresh, seen, startKeyed } from '../test/keyed.ts';
import type { IdempotencyKeys } from './keys.ts';

const UNREACHABLE = {
  status: 503,
  replayed: null,
  body: failure('SERVICE_UNAVAILABLE', 'Idempotency keys cannot be looked up'),
};

type Keys = DurableObjectStub<IdempotencyKeys>;
/** What the worker asks of an object. */
interface Methods {
  begin(...asked: Parameters<IdempotencyKeys['begin']>): Promise<unknown>;
  finish(...asked: Parameters<IdempotencyKeys['finish']>): Promise<unknown>;
  forget(...asked: Parameters<IdempotencyKeys['forget']>): Promise<unknown>;
}

describe('an object that', () => {
  /** The binding, with methods of its objects replaced. */
  function disturbed(change: (keys: Keys) => Partial<Methods>) {
    const IDEMPOTENCY_KEYS = {
      getByName(name: string) {
        const keys = env.IDEMPOTENCY_KEYS.getByName(name);
        const methods: Methods = {
          begin: (claim) => keys.begin(claim),
          finish: (...ended) => keys.finish(...ended),
          forget: (call) => keys.forget(call),
        };
        return { ...methods, ...change(keys) };
      },
    };
    return { bindings: { IDEMPOTENCY_KEYS } };
  }
  const broken = () => Promise.reject(new Error('Network connection lost.'));

  test('cannot be asked lets nothing run', async () => {
    const { write, ran } = await startKeyed(
      undefined,
      disturbed(() => ({ begin: broken })),
    );
    const response = await write('k');
    expect(response.headers.get('Retry-After')).toBe('1');
    expect(await seen(response)).toEqual(UNREACHABLE);
    expect(ran()).toBe(0);
  });

  test('let a call begin whose worker did not hear of it is asked again', async () => {
    let asked = 0;
    const { write, ran } = await startKeyed(
      undefined,
      disturbed((keys) => ({
        async begin(claim) {
          const standing = await keys.begin(claim);
          asked += 1;
          return asked === 1 ? broken() : standing;
        },
      })),
    );
    expect(await seen(await write('k'))).toEqual(fresh({ n: 1 }));
    expect(await seen(await write('k'))).toEqual(again({ n: 1 }));
    expect([asked, ran()]).toEqual([3, 1]);
  });

  test('frees the key of a call whose worker gave up asking', async () => {
    let fails = true;
    const { write, settle, ran } = await startKeyed(
      undefined,
      disturbed((keys) => ({
        async begin(claim) {
          const standing = await keys.begin(claim);
          return fails ? broken() : standing;
        },
      })),
    );
    expect(await seen(await write('k'))).toEqual(UNREACHABLE);
    await settle();
    fails = false;
    expect(await seen(await write('k'))).toEqual(fresh({ n: 1 }));
    expect(ran()).toBe(1);
  });

  test('does not take the reply the first time is told again', async () => {
    let fails = 2;
    const { write } = await startKeyed(
      undefined,
      disturbed((keys) => ({
        finish(call, outcome) {
          fails -= 1;
          return fails >= 0 ? broken() : keys.finish(call, outcome);
        },
      })),
    );
    expect(await seen(await write('k'))).toEqual(fresh({ n: 1 }));
    expect(await seen(await write('k'))).toEqual(again({ n: 1 }));
  });

  test('never takes the reply withholds it from nobody, and the call does not run again', async () => {
    const { write, organization, settle, ran } = await startKeyed(
      undefined,
      disturbed(() => ({ finish: broken })),
    );
    expect(await seen(await write('k'))).toEqual(fresh({ n: 1 }));
    await settle();
    expect(await seen(await write('k'))).toMatchObject({ status: 409 });
    await elapse(organization.uuid, 35_000);
    expect(await seen(await write('k'))).toMatchObject({
      status: 502,
      body: { code: 'OUTCOME_UNKNOWN' },
    });
    expect(ran()).toBe(1);
  });

  test('is slow to take the reply does not hold it up for long', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { write, settle } = await startKeyed(
      undefined,
      disturbed((keys) => ({
        async finish(call, outcome) {
          await promise;
          return keys.finish(call, outcome);
        },
      })),
    );
    expect(await seen(await write('k'))).toEqual(fresh({ n: 1 }));
    expect(await seen(await write('k'))).toMatchObject({ status: 409 });
    resolve();
    await settle();
    expect(await seen(await write('k'))).toEqual(again({ n: 1 }));
  });
});
