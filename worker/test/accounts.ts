/** Accounts with passwords, and logging in with them. */
import { env } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { hashPassword } from '../auth/passwords.ts';
import { countForAccount, countForAddress } from '../auth/throttle.ts';
import { openContext } from '../context.ts';
import { accounts } from '../db/schema.ts';
import type { Reply, TestGateway, TestUser } from './gateway.ts';

/** The password that `givePassword` sets; its hash is computed once for all tests. */
export const PASSWORD = 'correct horse, battery';
let hash: Promise<string> | undefined;

/** Lets a user of the harness log in with `PASSWORD`. */
export async function givePassword(user: TestUser): Promise<void> {
  hash ??= hashOf(PASSWORD);
  await storeHash(user, await hash);
}

/** What is stored of a password. */
export async function hashOf(password: string): Promise<string> {
  const { ctx, check } = await countedCheck();
  return hashPassword(ctx, check, password);
}

/** The context of a request from `address`, and a check that was counted for it. */
export async function countedCheck(address = 'local') {
  const ctx = openContext({
    signal: new AbortController().signal,
    env: { ...env },
    outside: { now: Date.now, fetch: () => Promise.reject(new Error('Nothing is reachable')) },
    requestId: 'request-1',
    address,
    waitUntil() {},
  });
  return { ctx, check: await countForAccount(ctx, await countForAddress(ctx), 'somebody') };
}

/** Stores what stands for a password. */
export async function storeHash(user: TestUser, passwordHash: string): Promise<void> {
  await drizzle(env.DB).update(accounts).set({ passwordHash }).where(eq(accounts.uuid, user.uuid));
}

/** The account as it is stored. */
export async function storedAccount(username: string) {
  const [row] = await drizzle(env.DB)
    .select()
    .from(accounts)
    .where(eq(accounts.username, username));
  return row;
}

/** `Authorization: Basic`, in UTF-8. */
export function basic(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
}

/** What a login sends; by default it is right. */
interface Attempt {
  readonly method?: 'GET' | 'POST';
  readonly user?: string;
  readonly password?: string;
  readonly organization?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Tries to log in. */
export async function tryLogin(gateway: TestGateway, attempt: Attempt = {}): Promise<Reply> {
  const { method = 'POST', user = gateway.user.username, password = PASSWORD } = attempt;
  const response = await gateway.send('/auth/login', {
    method,
    headers: {
      Authorization: basic(user, password),
      'X-Org-Id': attempt.organization ?? gateway.organization.id,
      ...attempt.headers,
    },
  });
  return { status: response.status, body: await response.json() };
}
