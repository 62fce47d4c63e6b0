/** Calls that between them use every key of an installation, while keys change. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Organization } from './organization.ts';
import { backend } from './servers/backends.ts';

/** Traffic that runs. */
interface KeyTraffic {
  /** Has all lines use a token that was made just now, as clients renew theirs. */
  logIn(): Promise<unknown>;
  /** Ends it; answers how many calls there were, and those that failed. */
  stop(): Promise<{ readonly calls: number; readonly failed: readonly unknown[] }>;
}

/** Calls of all sorts, one after the other in several lines, on an endpoint `pg` of the organization. */
export async function startKeyTraffic(organization: Organization): Promise<KeyTraffic> {
  const { gateway } = organization;
  const failed: unknown[] = [];
  let calls = 0;
  let isRunning = true;
  const basic = Buffer.from(`${organization.username}:${organization.password}`).toString('base64');
  let token = '';
  const call: Organization['call'] = (method, path, body) =>
    ask(gateway, method, path, body, { Authorization: `Bearer ${token}` });
  const logIn = async () => {
    const reply = await ask(gateway, 'POST', '/auth/login', undefined, {
      Authorization: `Basic ${basic}`,
      'X-Org-Id': organization.id,
    });
    token = (reply.body as { token: string }).token;
    return reply;
  };
  const makeEndpoint = async () => {
    const { url } = await backend('postgres');
    const config = { write_conn: { url } };
    const endpoint = `pg-${crypto.randomUUID()}`;
    return call('POST', '/endpoints', { endpoint, kind: 'postgres', config });
  };
  await logIn();
  const sorts: (() => Promise<{ status: number; body: unknown }>)[] = [
    () => call('POST', '/endpoints/pg/read', { query: 'SELECT 1 AS one' }),
    () => call('POST', '/endpoints/pg/write', { query: 'SELECT 2 AS two' }),
    () => call('GET', '/endpoints/pg'),
    makeEndpoint,
    logIn,
  ];
  const lines = sorts.map(async (sort) => {
    while (isRunning) {
      const { status, body } = await sort();
      calls += 1;
      if (status !== 200) failed.push({ status, body });
      await sleep(20);
    }
  });
  return {
    logIn,
    async stop() {
      isRunning = false;
      await Promise.all(lines);
      return { failed, calls };
    },
  };
}
