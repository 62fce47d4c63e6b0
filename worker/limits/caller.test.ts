/** Limits on what a user and an organization may ask for in a minute. */
import { describe, expect, test } from 'vitest';
import configuration from '../../wrangler.toml?raw';
import { contextOf } from '../test/audit.ts';
import { failure, startGateway, type TestGateway } from '../test/gateway.ts';
import { BY_ORGANIZATION, BY_USER, countCaller } from './caller.ts';

const TOO_MANY = failure('RATE_LIMITED', 'Too many requests: try again later');

/** A limiter that remembers what it was asked. */
function limiter(success: boolean) {
  const asked: string[] = [];
  return {
    asked,
    limit({ key }: { key: string }) {
      asked.push(key);
      return Promise.resolve({ success });
    },
  };
}

async function limitedGateway(bindings: Record<string, unknown> = {}) {
  const gateway = await startGateway('SuperAdmin', {
    bindings: { RATE_LIMITS: 'on', ...bindings },
  });
  return { ...gateway, gateway };
}

const pending: Promise<unknown>[] = [];

/** Waits for what goes on after the requests that `spend` counts. */
async function settleSpent(): Promise<void> {
  await Promise.allSettled(pending.splice(0));
}

/** Counts requests of the gateway's user, or of another in their organization. */
function spend(gateway: TestGateway, requests: number, user = gateway.user): void {
  const afterReply = (work: Promise<unknown>) => void pending.push(work);
  const ctx = { ...contextOf({ ...gateway, user }), afterReply };
  for (let request = 0; request < requests; request += 1) countCaller(ctx);
}

/** What `GET /help`, or another path, answers, with the headers of a refusal. */
async function ask(gateway: TestGateway, path = '/help', bearer?: string) {
  const token = bearer ?? (await gateway.token());
  const response = await gateway.send(path, { headers: { Authorization: `Bearer ${token}` } });
  const { status, headers } = response;
  return {
    status,
    retryAfter: headers.get('Retry-After'),
    policy: headers.get('RateLimit-Policy'),
    body: await response.json(),
  };
}
const refusal = (policy: string, retryAfter = '60') => ({
  status: 429,
  retryAfter,
  policy,
  body: TOO_MANY,
});
const USER_POLICY = '"user";q=6000;w=60';
const ORGANIZATION_POLICY = '"organization";q=60000;w=60';

describe('a user', () => {
  test('has exactly their quota in a minute, and all of it again in the next', async () => {
    const { gateway, clock } = await limitedGateway();
    spend(gateway, BY_USER.quota - 1);
    expect((await ask(gateway)).status).toBe(200);
    clock.now += 20_500;
    expect(await ask(gateway)).toEqual(refusal(USER_POLICY, '40'));
    clock.now += 39_500;
    expect((await ask(gateway)).status).toBe(200);
    await settleSpent();
  });

  test('is refused without their colleagues, and without themselves in another organization', async () => {
    const { gateway, organization } = await limitedGateway();
    spend(gateway, BY_USER.quota);
    const colleague = await gateway.addUser('Read');
    expect((await ask(gateway, '/help', await gateway.token(colleague))).status).toBe(200);
    const elsewhere = await limitedGateway();
    const ctx = contextOf({ ...elsewhere.gateway, user: gateway.user });
    expect(() => countCaller(ctx)).not.toThrow();
    expect((await ask(gateway)).status).toBe(429);
    expect(organization.uuid).not.toBe(elsewhere.organization.uuid);
    await settleSpent();
  });

  test('is refused where other isolates counted the rest, from the step on that tells it', async () => {
    const byUser = limiter(false);
    const { gateway, organization, user } = await limitedGateway({ LIMIT_BY_USER: byUser });
    spend(gateway, BY_USER.step - 1);
    expect(byUser.asked).toEqual([]);
    expect((await ask(gateway)).status).toBe(200);
    await gateway.settle();
    expect(byUser.asked).toEqual([`${organization.uuid} ${user.uuid}`]);
    expect(await ask(gateway)).toEqual(refusal(USER_POLICY));
  });

  test('is not refused by a limiter that fails', async () => {
    const broken = { limit: () => Promise.reject(new Error('broken')) };
    const { gateway } = await limitedGateway({ LIMIT_BY_USER: broken });
    spend(gateway, BY_USER.step - 1);
    await ask(gateway);
    await gateway.settle();
    expect((await ask(gateway)).status).toBe(200);
    await settleSpent();
  });

  test('over the limit uses up nothing of their organization', async () => {
    const byOrganization = limiter(true);
    const { gateway } = await limitedGateway({ LIMIT_BY_ORGANIZATION: byOrganization });
    spend(gateway, BY_USER.quota);
    const steps = BY_USER.quota / BY_ORGANIZATION.step;
    for (let refused = 0; refused < BY_ORGANIZATION.step; refused += 1) {
      expect(() => spend(gateway, 1)).toThrow('Too many requests');
    }
    await settleSpent();
    expect(byOrganization.asked).toHaveLength(steps);
  });
});

describe('an organization', () => {
  test('has exactly its quota in a minute, over all its users', async () => {
    const { gateway, clock, organization } = await limitedGateway();
    const users = BY_ORGANIZATION.quota / BY_USER.quota;
    for (let user = 0; user < users; user += 1) {
      spend(gateway, BY_USER.quota, { uuid: crypto.randomUUID(), username: 'one of many' });
    }
    expect(await ask(gateway)).toEqual(refusal(ORGANIZATION_POLICY));
    const { gateway: other } = await limitedGateway();
    expect((await ask(other)).status).toBe(200);
    clock.now += 60_000;
    expect((await ask(gateway)).status).toBe(200);
    expect(organization.uuid).not.toBe(other.organization.uuid);
    await settleSpent();
  });

  test('is refused where other isolates counted the rest', async () => {
    const byOrganization = limiter(false);
    const { gateway } = await limitedGateway({ LIMIT_BY_ORGANIZATION: byOrganization });
    spend(gateway, BY_ORGANIZATION.step);
    await settleSpent();
    expect(await ask(gateway)).toEqual(refusal(ORGANIZATION_POLICY));
  });
});

describe('the order of refusals', () => {
  test('401 comes before the limits, 404 and 403 after them', async () => {
    const { gateway } = await limitedGateway();
    const reader = await gateway.addUser('Read');
    spend(gateway, BY_USER.quota);
    spend(gateway, BY_USER.quota, reader);
    const token = await gateway.token(reader);
    expect((await ask(gateway, '/endpoints/unknown', 'forged')).status).toBe(401);
    expect((await ask(gateway, '/endpoints/unknown')).status).toBe(429);
    expect((await ask(gateway, '/audit', token)).status).toBe(429);
    await settleSpent();
  });
});

test('the platform’s own limiter refuses after the quota, in steps', async () => {
  const { gateway, clock } = await limitedGateway();
  // Each window stands for another isolate: none counts more than a step.
  let isolates = 0;
  for (let refused = false; !refused && isolates < 100; isolates += 1) {
    spend(gateway, BY_USER.step);
    await settleSpent();
    refused = (await ask(gateway)).status === 429;
    clock.now += 60_000;
  }
  // Twice as many at the most: the limiter's minute may end in the midst.
  expect(isolates).toBeGreaterThan(BY_USER.quota / BY_USER.step);
  expect(isolates).toBeLessThanOrEqual((2 * BY_USER.quota) / BY_USER.step + 1);
});

test('RATE_LIMITS=off counts nothing', async () => {
  const { gateway } = await limitedGateway({ RATE_LIMITS: 'off' });
  spend(gateway, BY_USER.quota + 1);
  expect((await ask(gateway)).status).toBe(200);
});

test.each([
  ['LIMIT_BY_USER', BY_USER],
  ['LIMIT_BY_ORGANIZATION', BY_ORGANIZATION],
])('%s is bound with the quota that refusals name, in steps', (name, { quota, step }) => {
  const bound = new RegExp(
    `name = "${name}"\nnamespace_id = "\\d+"\nsimple = \\{ limit = ${quota / step}, period = 60 \\}`,
  );
  expect(configuration).toMatch(bound);
});
