/** When keys of identity providers are fetched, and what holds while they cannot be. */
import { describe, expect, test } from 'vitest';
import { failure } from '../../test/gateway.ts';
import {
  openProvider,
  type Provider,
  SECONDS,
  signingKey,
  startTrusting,
} from '../../test/identity-provider.ts';

const MINUTE = 60_000;
const by = (rule: string) => ({
  status: 401,
  body: failure('TOKEN_INVALID', 'Invalid token format', [{ rule }]),
});
const UNAVAILABLE = {
  status: 503,
  body: failure('SERVICE_UNAVAILABLE', 'The keys of the identity provider cannot be fetched'),
};
const LONG = { exp: SECONDS + 7 * 24 * 3600 };

const [first, second] = [await signingKey('ES256'), await signingKey('ES256', 'second')];

async function start(provider: Provider = openProvider([first])) {
  const gateway = await startTrusting(provider);
  const help = (token: string) => gateway.call('GET', '/help', undefined, token);
  const status = async (token: string) => (await help(token)).status;
  const tokens = (key: typeof first, count: number) =>
    Promise.all(Array.from({ length: count }, (_, at) => gateway.sign(key, { jti: `${at}` })));
  return { ...gateway, provider, help, status, tokens };
}

describe('keys are fetched', () => {
  test('once for many tokens', async () => {
    const { provider, status, tokens } = await start();
    for (const token of await tokens(first, 5)) expect(await status(token)).toBe(200);
    expect(provider.state.fetches).toBe(1);
  });

  test('once for many tokens at a time', async () => {
    const { provider, status, tokens } = await start();
    const statuses = await Promise.all((await tokens(first, 20)).map(status));
    expect([new Set(statuses), provider.state.fetches]).toEqual([new Set([200]), 1]);
  });

  test('at once when a token names one that is not known: a new key serves from its first token', async () => {
    const { provider, status, sign } = await start();
    await status(await sign(first));
    provider.publish(first, second);
    expect(await status(await sign(second))).toBe(200);
    expect(provider.state.fetches).toBe(2);
  });

  test('when many tokens of a new key come at a time: none is refused', async () => {
    const { provider, status, sign, tokens } = await start();
    await status(await sign(first));
    provider.publish(second);
    const statuses = await Promise.all((await tokens(second, 20)).map(status));
    expect([new Set(statuses), provider.state.fetches]).toEqual([new Set([200]), 2]);
  });

  test('at most once a minute for unknown keys, however many tokens name them', async () => {
    const { provider, status, sign, clock } = await start();
    await status(await sign(first));
    for (let storm = 0; storm < 3; storm += 1) {
      for (let at = 0; at < 30; at += 1) {
        const token = await sign(second, LONG, { kid: `${storm}.${at}` });
        expect(await status(token)).toBe(401);
        clock.now += 1_000;
      }
      expect(provider.state.fetches).toBe(storm < 2 ? 2 : 3);
    }
  });

  test('not a second time for the very first token, if its key is unknown', async () => {
    const { provider, help, sign } = await start();
    expect(await help(await sign(second))).toEqual(by('signature'));
    expect(provider.state.fetches).toBe(1);
  });

  test('not for an algorithm that is not allowed', async () => {
    const { provider, help, sign } = await start();
    expect(await help(await sign(await signingKey('RS384')))).toEqual(by('algorithm'));
    expect(provider.state.fetches).toBe(0);
  });

  test('again after ten minutes: one that was withdrawn verifies no token then, old or new', async () => {
    const { provider, status, sign, clock } = await start();
    const token = await sign(first, LONG);
    expect(await status(token)).toBe(200);
    provider.publish(second);
    clock.now += 10 * MINUTE;
    expect(await status(token)).toBe(401);
    expect(await status(await sign(first, { ...LONG, jti: '2' }))).toBe(401);
    expect(await status(await sign(second, LONG))).toBe(200);
  });

  test('after the reply while they are half as old', async () => {
    const { provider, status, sign, clock, settle } = await start();
    await status(await sign(first, LONG));
    clock.now += 5 * MINUTE;
    let answer: ((response: Response) => void) | undefined;
    provider.state.instead = () => new Promise((resolve) => (answer = resolve));
    expect(await status(await sign(first, { ...LONG, jti: '2' }))).toBe(200);
    answer?.(Response.json({ keys: [second.published] }));
    await settle();
    provider.state.instead = undefined;
    expect(await status(await sign(second, LONG))).toBe(200);
    expect(provider.state.fetches).toBe(2);
  });
});

type Outage = [string, () => Promise<Response> | Response];
const outages: Outage[] = [
  ['are out of reach', () => Promise.reject(new TypeError('Network connection lost.'))],
  ['are answered with 500', () => new Response('no', { status: 500 })],
  ['are elsewhere', () => Response.redirect('https://elsewhere.test/keys', 302)],
  ['are no JSON', () => new Response('<html>')],
  ['are no key set', () => Response.json({ keys: 'none' })],
  ['are null', () => Response.json(null)],
  ['are no UTF-8', () => new Response(new Uint8Array([0xff, 0xfe]))],
  ['are too many bytes', () => Response.json({ keys: [], padding: 'x'.repeat(300_000) })],
];

describe.each(outages)('while keys %s', (_what, instead) => {
  test('tokens cannot be verified, and callers are told when to come again', async () => {
    const { provider, sign, help, send } = await start();
    provider.state.instead = instead;
    const token = await sign(first);
    expect(await help(token)).toEqual(UNAVAILABLE);
    const response = await send('/help', { headers: { Authorization: `Bearer ${token}` } });
    expect(response.headers.get('Retry-After')).toBe('5');
    expect(provider.state.fetches).toBe(1);
  });

  test('those that are known go on serving, and are asked for once a minute', async () => {
    const { provider, sign, status, clock } = await start();
    await status(await sign(first));
    provider.state.instead = instead;
    clock.now += 60 * MINUTE;
    for (let at = 0; at < 5; at += 1) {
      expect(await status(await sign(first, { ...LONG, jti: `${at}` }))).toBe(200);
    }
    expect(provider.state.fetches).toBe(2);
  });
});

test('keys are fetched again five seconds after they could not be', async () => {
  const { provider, sign, help, status, clock } = await start();
  provider.state.instead = () => new Response(null, { status: 503 });
  const token = await sign(first);
  await help(token);
  provider.state.instead = undefined;
  clock.now += 4_999;
  expect(await help(token)).toEqual(UNAVAILABLE);
  clock.now += 1;
  expect(await status(token)).toBe(200);
});

test('tokens of our own are verified whatever becomes of the provider', async () => {
  const { provider, call } = await start();
  provider.state.instead = () => Promise.reject(new Error('gone'));
  expect((await call('GET', '/help')).status).toBe(200);
  expect(provider.state.fetches).toBe(0);
});
