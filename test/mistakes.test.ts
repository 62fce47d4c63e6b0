/**
 * The commonest mistakes over real routes, real sockets and a real database: what was sent, and the
 * whole reply. What a person reads there must say what to do instead.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ErrorCode } from '../proto/errors.ts';
import { type OwnGateway, startGateway } from './gateway.ts';
import mistakes from './mistakes.json' with { type: 'json' };
import { checkedFetch } from './openapi/checked-fetch.ts';
import { ask, newOrganization, type Organization, refusal } from './organization.ts';
import { backend, freshDatabase } from './servers/backends.ts';

/** A request that is a mistake, and the whole reply. `{…}` in its texts stands for what a run alone knows. */
interface Mistake {
  readonly what: string;
  /** Method and path, which is below /api/v1 unless it begins with `//`. */
  readonly send: string;
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** Instead of the SuperAdmin's token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Who sends it, where that is not the SuperAdmin. */
  readonly as?: 'reader' | 'nobody';
  readonly reply: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly details?: unknown;
  };
}

let gateway: OwnGateway;
let organization: Organization;
/** What stands for `{…}`. */
const values: Record<string, string> = {};

beforeAll(async () => {
  const [database, redis] = await Promise.all([freshDatabase(), backend('redis')]);
  const { host } = new URL(database.url);
  const env = { RELAY_ALLOW: `${host},${new URL(redis.url).host}` };
  gateway = await startGateway({ env });
  organization = await newOrganization(gateway, 'acme');
  Object.assign(values, urlsOf(database.url), {
    database: database.url,
    token: organization.token,
    reader: await member('reader@acme.example', 'Read'),
    nobody: await member('nobody@acme.example', 'None'),
  });
  for (const [endpoint, kind, url] of [
    ['orders', 'postgres', database.url],
    ['cache', 'redis', redis.url],
  ]) {
    const body = { endpoint, kind, config: { write_conn: { url } } };
    expect(await organization.call('POST', '/endpoints', body)).toMatchObject({ status: 200 });
  }
  for (const [endpoint, body] of [
    ['orders', { query: 'CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL)' }],
    ['orders', { query: "INSERT INTO customers VALUES (1, 'Ada')" }],
    ['cache', { type: 'set', key: 'mistakes', value: 'a text' }],
  ] as const) {
    const reply = await organization.call('POST', `/endpoints/${endpoint}/write`, body);
    expect(reply).toMatchObject({ status: 200 });
  }
});
afterAll(() => gateway?.stop());

/** Makes a member of that name and level; answers its token. */
async function member(username: string, access_level: string): Promise<string> {
  const { id, password } = organization;
  const user = { username, password, access_level };
  expect(await organization.call('POST', '/iam/users', user)).toMatchObject({ status: 200 });
  const Authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const headers = { Authorization, 'X-Org-Id': id };
  const { body } = await ask(gateway, 'POST', '/auth/login', undefined, headers);
  return (body as { token: string }).token;
}

/** The database's URL, wrong in one way each. */
function urlsOf(database: string): Record<string, string> {
  const changed = (change: (url: URL) => void): string => {
    const url = new URL(database);
    change(url);
    return url.href;
  };
  return {
    wrong_password: changed((url) => (url.password = 'wrong')),
    absent_database: changed((url) => (url.pathname = '/absent')),
    tls: changed((url) => url.searchParams.set('sslmode', 'require')),
  };
}

const filled = (text: string): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

async function sent({ send, body, headers, as }: Mistake) {
  const [method = '', path = ''] = send.split(' ');
  const url = gateway.url + (path.startsWith('//') ? path.slice(1) : `/api/v1${path}`);
  const authorization = { Authorization: `Bearer ${values[as ?? 'token']}` };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await checkedFetch(url, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(
        Object.entries(headers ?? authorization).map(([name, value]) => [name, filled(value)]),
      ),
    },
    ...(body === undefined ? {} : { body: filled(text) }),
  });
  return { status: response.status, body: await response.json() };
}

test.each(mistakes as unknown as readonly Mistake[])('$what: $send', async (mistake) => {
  const { code, message, details } = mistake.reply;
  expect(await sent(mistake)).toEqual(refusal(code, message, details));
});
