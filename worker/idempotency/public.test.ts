/** Keys where there is no caller: the body stands for them. */
import { env } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { PASSWORD } from '../test/accounts.ts';
import { failure, startGateway } from '../test/gateway.ts';
import { seen, storedCalls } from '../test/keyed.ts';

const OTHER_KEY = btoa('another key of thirty-two bytes.').replace(/=+$/, '');
const unique = (name: string) => `${name}-${crypto.randomUUID().slice(0, 8)}`;

/** Creates organizations with the key `k`. */
async function start(bindings: Readonly<Record<string, string>> = {}) {
  const gateway = await startGateway('Read', { bindings });
  return async (body: string, headers: Readonly<Record<string, string>> = {}) =>
    seen(
      await gateway.send('/new', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'k', ...headers },
        body,
      }),
    );
}
const bodyOf = (id: string, password = PASSWORD) =>
  JSON.stringify({ id, super_admins: [{ username: unique('ada'), password }] });

test('the same key and body found one organization', async () => {
  const create = await start();
  const [id, before] = [unique('org'), await storedCalls('new')];
  const body = bodyOf(id);
  const replies = await Promise.all([create(body), create(body), create(body)]);
  const [first] = replies.filter(({ status, replayed }) => status === 200 && replayed === null);
  expect(first).toMatchObject({ body: { Ok: expect.stringContaining(id) } });
  for (const each of replies) expect([200, 409]).toContain(each.status);
  expect(await create(body)).toEqual({ ...first, replayed: 'true' });
  expect(await storedCalls('new')).toHaveLength(before.length + 1);
});

test('another body with the same key is another call: it tells nothing about the first', async () => {
  const create = await start();
  const [one, other] = [unique('org'), unique('org')];
  expect(await create(bodyOf(one))).toMatchObject({ status: 200, replayed: null });
  expect(await create(bodyOf(other))).toMatchObject({ status: 200, replayed: null });
  // The same organization with a guessed password is no repeat either.
  expect(await create(bodyOf(one, 'a guessed password'))).toEqual({
    status: 409,
    replayed: null,
    body: failure('ORGANIZATION_EXISTS', `Organization ${one} already exists`),
  });
});

test('a caller who may not create organizations finds no reply', async () => {
  const create = await start({ NEW_ORG_TOKEN: 'let-me-in' });
  const body = bodyOf(unique('org'));
  const admitted = { Authorization: 'Bearer let-me-in' };
  expect(await create(body, admitted)).toMatchObject({ status: 200, replayed: null });
  expect(await create(body)).toMatchObject({ status: 401, replayed: null });
  expect(await create(body, admitted)).toMatchObject({ status: 200, replayed: 'true' });
});

test('a reply is found after the installation has another key, as long as the old one is known', async () => {
  const body = bodyOf(unique('org'));
  const create = await start();
  const first = await create(body);
  const keys = { INSTALLATION_KEY: OTHER_KEY, INSTALLATION_KEY_PREVIOUS: env.INSTALLATION_KEY };
  const later = await start(keys);
  expect(await later(body)).toEqual({ ...first, replayed: 'true' });
  const foreign = await start({ INSTALLATION_KEY: OTHER_KEY });
  expect(await foreign(body)).toMatchObject({ status: 409, replayed: null });
});

test('what is stored tells nothing about the body, and its name cannot be computed from it', async () => {
  const create = await start();
  const id = unique('org');
  const body = bodyOf(id);
  const before = new Set((await storedCalls('new')).map(({ name }) => name));
  // Long enough that it is not in sealed bytes by chance.
  expect(await create(body)).toMatchObject({ body: { Ok: expect.stringContaining(id) } });
  const [made] = (await storedCalls('new')).filter(({ name }) => !before.has(name));
  expect(made).toMatchObject({ body: '', fact: null, reply: expect.any(ArrayBuffer) });
  const encoder = new TextEncoder();
  const guesses = [body, `["POST","/api/v1/new","k"]\n${body}`];
  for (const guess of guesses) {
    const digest = await crypto.subtle.digest('SHA-256', encoder.encode(guess));
    const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'));
    expect(made?.name).not.toBe(hex.join(''));
  }
  expect(new TextDecoder('latin1').decode(made?.reply ?? new ArrayBuffer())).not.toContain(id);
});
