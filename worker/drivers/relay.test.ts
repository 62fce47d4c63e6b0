import { env } from 'cloudflare:test';
import { Code } from '@connectrpc/connect';
import { compactDecrypt, importJWK } from 'jose';
import { describe, expect, test } from 'vitest';
import {
  answer,
  codeOf,
  contextOf,
  ENVELOPE,
  lost,
  type Relay,
  refusal,
  token,
} from '../test/nodes.ts';

describe('a call to a node that does not know the pool', () => {
  test('brings the sealed connection once, and none while the pool is known', async () => {
    const seen: string[] = [];
    const gateway = contextOf({
      a: {
        run({ target }) {
          seen.push(target?.sealedConnection ?? '');
          if (seen.length === 1) throw refusal(Code.FailedPrecondition, 'CONNECTION_UNKNOWN');
          return answer('rows');
        },
      },
    });
    expect([await gateway.run(true), await gateway.run(false)]).toEqual(['rows', 'rows']);
    const [unasked, sealed = '', steady] = seen;
    expect({ unasked, steady, opened: gateway.opened() }).toEqual({
      unasked: '',
      steady: '',
      opened: 1,
    });
    const key = await importJWK(JSON.parse(env.RELAY_NODE_KEY), 'ECDH-ES');
    const { plaintext, protectedHeader } = await compactDecrypt(sealed, key);
    expect(JSON.parse(new TextDecoder().decode(plaintext))).toEqual(ENVELOPE);
    expect(protectedHeader).toMatchObject({ alg: 'ECDH-ES', enc: 'A256GCM' });
  });

  test('gives up when the node asks again', async () => {
    let calls = 0;
    const gateway = contextOf({
      a: {
        run() {
          calls += 1;
          throw refusal(Code.FailedPrecondition, 'CONNECTION_UNKNOWN');
        },
      },
    });
    expect([await codeOf(gateway.run(false)), calls]).toEqual(['NODE_UNAVAILABLE', 2]);
  });
});

describe('the token of a call', () => {
  test('is one for many calls, and another after 45 seconds', async () => {
    const tokens: string[] = [];
    const gateway = contextOf({
      a: {
        run(_, context) {
          tokens.push(token(context));
          return answer('');
        },
      },
    });
    for (let call = 0; call < 20; call += 1) await gateway.run(false);
    gateway.clock.now += 46_000;
    for (let call = 0; call < 20; call += 1) await gateway.run(false);
    expect({ calls: tokens.length, tokens: new Set(tokens).size }).toEqual({
      calls: 40,
      tokens: 2,
    });
  });

  test('is made again for a relay that was started since, and the call repeated once', async () => {
    const tokens: string[] = [];
    const gateway = contextOf({
      a: {
        run(_, context) {
          tokens.push(token(context));
          gateway.clock.now += 1;
          if (tokens[0] === token(context)) throw refusal(Code.Unauthenticated);
          return answer('written');
        },
      },
    });
    expect(await gateway.run(true)).toBe('written');
    expect(new Set(tokens).size).toBe(2);
  });

  test('that is refused again is a node that cannot serve', async () => {
    let calls = 0;
    const gateway = contextOf({
      a: {
        run() {
          calls += 1;
          throw refusal(Code.Unauthenticated, 'NODE_UNAVAILABLE');
        },
      },
      b: { run: () => answer('from b') },
    });
    expect([await gateway.run(true), calls]).toEqual(['from b', 2]);
  });
});

describe('a call moves on to the next node', () => {
  test.each([
    ['is stopping', Code.Unavailable, 'NODE_UNAVAILABLE'],
    ['has no connection free', Code.ResourceExhausted, 'POOL_EXHAUSTED'],
    ['cannot reach the backend', Code.Unavailable, 'CONNECTION_FAILED'],
  ])('also when it writes, from one that %s', async (_, code, told) => {
    const gateway = contextOf({
      a: {
        run() {
          throw refusal(code, told);
        },
      },
      b: { run: () => answer('from b') },
    });
    expect(await gateway.run(true)).toBe('from b');
  });

  test('when it reads, from one whose line breaks', async () => {
    const gateway = contextOf({ a: lost, b: { run: () => answer('from b') } });
    expect(await gateway.run(false)).toBe('from b');
  });

  test('and says so when there is none, with when to come back', async () => {
    const failure = await contextOf({ a: lost, b: lost })
      .run(false)
      .catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: 'NODE_UNAVAILABLE', retryAfter: 2 });
  });

  test.each([
    ['REQUEST_FAILED', Code.InvalidArgument],
    ['CONSTRAINT_VIOLATED', Code.AlreadyExists],
    ['TIMED_OUT', Code.DeadlineExceeded],
    ['OUTCOME_UNKNOWN', Code.Unknown],
    ['RESULT_TOO_LARGE', Code.OutOfRange],
  ])('but not after %s', async (told, code) => {
    let calls = 0;
    const failing: Relay = {
      run() {
        calls += 1;
        throw refusal(code, told);
      },
    };
    const gateway = contextOf({ a: failing, b: failing });
    expect([await codeOf(gateway.run(true)), calls]).toEqual([told, 1]);
  });
});

describe('a write', () => {
  test('whose line breaks has an unknown outcome, and is sent nowhere again', async () => {
    const paths: string[] = [];
    let elsewhere = 0;
    const breaking = (request: Request) => {
      const { pathname } = new URL(request.url);
      paths.push(pathname);
      return pathname.endsWith('/Status') ? Promise.resolve(new Response()) : lost();
    };
    const gateway = contextOf({
      a: breaking,
      b: {
        run() {
          elsewhere += 1;
          return answer('');
        },
      },
    });
    expect(await codeOf(gateway.run(true))).toBe('OUTCOME_UNKNOWN');
    expect({ paths, elsewhere }).toEqual({
      paths: ['/relay.v1.RelayService/Status', '/relay.v1.RelayService/Run'],
      elsewhere: 0,
    });
  });

  test('is not sent to a node that is gone, so that its outcome is known', async () => {
    const paths: string[] = [];
    const dead = (request: Request) => {
      paths.push(new URL(request.url).pathname);
      return lost();
    };
    const gateway = contextOf({ a: dead, b: { run: () => answer('from b') } });
    expect(await gateway.run(true)).toBe('from b');
    expect(paths).toEqual(['/relay.v1.RelayService/Status']);
  });

  test('goes straight to a node that answered within ten seconds', async () => {
    let greetings = 0;
    const gateway = contextOf({
      a: {
        status() {
          greetings += 1;
          return {};
        },
        run: () => answer(''),
      },
    });
    await gateway.run(false);
    await gateway.run(true);
    gateway.clock.now += 9_000;
    await gateway.run(true);
    expect(greetings).toBe(0);
    gateway.clock.now += 11_000;
    await gateway.run(true);
    expect(greetings).toBe(1);
  });
});
