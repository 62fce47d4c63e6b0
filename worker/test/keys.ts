/** API keys of the organization under test. */
import { expect } from 'vitest';
import type { Json } from '../../proto/json.ts';
import type { TestGateway, TestUser } from './gateway.ts';

/** What making a key answers. */
interface MadeKey {
  readonly id: string;
  readonly name: string;
  readonly key: string;
}

/** A name that no other test uses. */
export function freeName(): string {
  return `key-${crypto.randomUUID().slice(0, 8)}`;
}

/** Makes a key of the organization, as the gateway's user unless another does. */
export async function makeKey(
  gateway: TestGateway,
  body: { readonly [member: string]: Json } = {},
  by: TestUser = gateway.user,
): Promise<MadeKey> {
  return made(gateway, '/iam/keys', body, by);
}

/** Makes a personal key of the gateway's user, or of another. */
export async function makeOwnKey(
  gateway: TestGateway,
  body: { readonly [member: string]: Json } = {},
  by: TestUser = gateway.user,
): Promise<MadeKey> {
  return made(gateway, '/iam/keys/self', body, by);
}

async function made(
  gateway: TestGateway,
  path: string,
  body: { readonly [member: string]: Json },
  by: TestUser,
): Promise<MadeKey> {
  const sent = { name: freeName(), ...body };
  const reply = await gateway.call('POST', path, sent, await gateway.token(by));
  expect(reply).toMatchObject({ status: 200 });
  return reply.body as unknown as MadeKey;
}
