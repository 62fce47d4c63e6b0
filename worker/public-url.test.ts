/** What requests say of where they came to, and what becomes of it: nothing. Contract §11, `PUBLIC_URL`. */
import { createExecutionContext } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { createApp, facades, routes } from './app.ts';
import { operationsOf } from './http/operations.ts';
import { exampleOf } from './openapi/example.ts';
import { located, publicPrefix, publicUrl } from './public-url.ts';
import { settingsOf } from './settings.ts';
import { GREETING } from './templates/test/definitions.ts';
import { NOW, startGateway } from './test/gateway.ts';

const EVIL = 'evil.test';
/** Every header from which some program takes where it is. */
const CLAIMS = {
  Host: EVIL,
  'X-Forwarded-Host': EVIL,
  'X-Forwarded-Server': EVIL,
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Port': '666',
  'X-Forwarded-Prefix': `/${EVIL}`,
  'X-Forwarded-Path': `/${EVIL}`,
  'X-Original-Host': EVIL,
  'X-Original-URL': `http://${EVIL}/`,
  'X-Rewrite-URL': `http://${EVIL}/`,
  'X-Host': EVIL,
  Forwarded: `for=192.0.2.1;host=${EVIL};proto=https`,
  'MF-Original-URL': `http://${EVIL}/`,
  'X-Base-Url': `http://${EVIL}/`,
  Referer: `http://${EVIL}/`,
};

const OURS = 'https://gateway.example/data';

/** A gateway with a template, an endpoint and a mailbox, and all that left it. */
async function start(bindings: Record<string, string>) {
  const left: Request[] = [];
  const fetch = async (request: Request) => {
    left.push(request.clone());
    return new Response('{}');
  };
  const gateway = await startGateway('SuperAdmin', {
    bindings: { MAIL_URL: 'https://mail.test/', ...bindings },
    fetch,
  });
  const app = createApp({ now: () => NOW, fetch });
  const pending: Promise<unknown>[] = [];
  const execution = {
    ...createExecutionContext(),
    waitUntil: (work: Promise<unknown>) => void pending.push(work),
    passThroughOnException() {},
  };
  const send = async (method: string, path: string, body?: unknown, more = {}) => {
    const headers = {
      ...CLAIMS,
      Authorization: `Bearer ${await gateway.token()}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...more,
    };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    return app.request(`http://${EVIL}${path}`, init, gateway.bindings, execution);
  };
  const api = '/api/v1';
  const made = [
    await send('POST', `${api}/templates`, GREETING),
    await send('POST', `${api}/endpoints`, {
      endpoint: 'shop',
      kind: 'http',
      config: { write_conn: { url: 'https://api.example.com/v1' }, transport: 'edge' },
    }),
  ];
  return {
    gateway,
    send,
    made: made.map(({ status }) => status),
    /** What was sent elsewhere, as text. */
    async sentAway(): Promise<string[]> {
      await gateway.settle();
      while (pending.length > 0) await Promise.allSettled(pending.splice(0));
      return Promise.all(left.map((each) => textOf(each.url, each)));
    },
  };
}

async function textOf(first: string, message: Request | Response): Promise<string> {
  const headers = [...message.headers].map(([name, value]) => `${name}: ${value}`);
  return [first, ...headers, '', await message.text()].join('\n');
}

/** Of every operation: a path with parameters that there are, and a body. */
const operations = operationsOf([...routes, ...facades]).map(({ method, path, route }) => ({
  method,
  path,
  body: method === 'GET' || method === 'DELETE' ? undefined : exampleOf(route.body),
}));

describe.each([{ PUBLIC_URL: OURS }, { OWN_URL: 'http://127.0.0.1:8787' }, {}])(
  'with %o',
  (bindings: Record<string, string>) => {
    test('no reply, mail or request of any operation holds a name that the client gave', async () => {
      const { gateway, send, made, sentAway } = await start(bindings);
      expect(made).toEqual([200, 200]);
      const params: Record<string, string> = {
        organization: gateway.organization.id,
        org: gateway.organization.id,
        user: gateway.user.username,
        endpoint: 'shop',
        template: 'greeting',
      };
      const met = new Set<number>();
      for (const { method, path, body } of operations) {
        // It would leave nothing for those that come after it.
        if (method === 'DELETE') continue;
        const whole = path.replaceAll(/\{(\w+)\}/g, (_, name) => params[name] ?? 'unknown');
        const reply = await send(method, whole, body);
        met.add(reply.status);
        expect(await textOf(`${method} ${whole}`, reply)).not.toContain(EVIL);
      }
      for (const page of ['/docs', '/openapi.json', '/healthz', '/', '/nothing', '//evil']) {
        const reply = await send('GET', page);
        expect(await textOf(page, reply)).not.toContain(EVIL);
      }
      expect(met).toContain(200);
      for (const each of await sentAway()) expect(each).not.toContain(EVIL);
    });

    test('a run that goes on tells where it is found, and mail where the gateway is', async () => {
      const { send, made, sentAway } = await start(bindings);
      expect(made).toEqual([200, 200]);
      const run = await send(
        'POST',
        '/api/v1/templates/greeting',
        { name: 'Ada' },
        { Prefer: 'respond-async' },
      );
      expect(run.status).toBe(202);
      const location = run.headers.get('Location') ?? '';
      expect(location).toMatch(/^(?:https:\/\/gateway\.example\/data)?\/api\/v1\/templates\//);
      expect(location.startsWith(OURS)).toBe(bindings.PUBLIC_URL !== undefined);
      const username = `${crypto.randomUUID()}@example.com`;
      const added = await send('POST', '/api/v1/iam/users', { username });
      expect(added.status).toBe(200);
      const base = bindings.PUBLIC_URL ?? bindings.OWN_URL;
      const mails = (await sentAway()).filter((each) => each.startsWith('https://mail.test/'));
      expect(mails.map((each) => each.includes(`"link":"${base}/docs?token=`))).toEqual(
        base === undefined ? [] : [true],
      );
      const { servers } = await (await send('GET', '/openapi.json')).json<{ servers: object[] }>();
      expect(servers).toMatchObject([{ url: base ?? '/' }]);
      const page = await (await send('GET', '/docs')).text();
      const prefix = bindings.PUBLIC_URL === undefined ? '' : '/data';
      expect(page).toContain(`data-url="${prefix}/openapi.json"`);
      expect(page).toContain(`src="${prefix}/docs/scalar-`);
    });
  },
);

const KEYS = {
  JWT_SECRET: 'x'.repeat(32),
  INSTALLATION_KEY: 'x'.repeat(43),
  GATEWAY_KEY: '{"kty":"OKP"}',
  RELAY_NODE_PUBLIC_KEY: '{"kty":"EC"}',
};

test.each([
  ['https://gateway.example', 'https://gateway.example', ''],
  ['https://gateway.example/', 'https://gateway.example', ''],
  ['HTTPS://Gateway.Example:443/Data//', 'https://gateway.example/Data', '/Data'],
  ['http://[::1]:8787', 'http://[::1]:8787', ''],
  ['https://gateway.example/a/../b', 'https://gateway.example/b', '/b'],
])('PUBLIC_URL %s is %s', (text, url, prefix) => {
  const settings = settingsOf({ ...KEYS, PUBLIC_URL: text, OWN_URL: 'http://127.0.0.1:1' });
  expect(publicUrl(settings)).toBe(url);
  expect(publicPrefix(settings)).toBe(prefix);
  expect(located(settings, '/x')).toBe(`${url}/x`);
});

test.each([
  ...['gateway.example', '/data', 'ftp://gateway.example', 'https:gateway.example', 'https://'],
  ...['https:/gateway.example', 'https://u:p@gateway.example', 'https://@gateway.example'],
  ...['https://gateway.example?', 'https://gateway.example/?a=b', 'https://gateway.example#'],
  ...['https://gateway.example/#a', 'https://gateway example', ' https://gateway.example'],
  ...['https://gateway.example\\a', 'https://gateway.example/a\n', 'https://gateway.example:99999'],
  ...['https://[::1', 'https://999.1.1.1', 'javascript:alert(1)', 'true', '*'],
])('PUBLIC_URL %j is refused without telling it', (text) => {
  expect(() => settingsOf({ ...KEYS, PUBLIC_URL: text })).toThrow(
    /^Settings: PUBLIC_URL: is no absolute http or https URL without credentials, query and fragment$/,
  );
});

test('entries of RESET_REDIRECT_URLS are absolute', () => {
  expect(() => settingsOf({ ...KEYS, RESET_REDIRECT_URLS: 'https://a.test/,/reset' })).toThrow(
    'RESET_REDIRECT_URLS: is no list of absolute URLs such as https://app.example.com/reset',
  );
});
