/** What no endpoint of kind `http` reaches, over real sockets: by default, and with private addresses allowed. Contract §6, "http kind". */
import { randomUUID } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isPublic } from '../proto/addresses.ts';
import { parseAddress } from '../proto/networks.ts';
import { sharedGateway } from './gateway.ts';
import { DECEIVING_URLS, NEVER_HOSTS, PRIVATE_HOSTS } from './http-kind/refused.ts';
import { type HttpServer, startHttpServer } from './http-kind/server.ts';
import { newOrganization, type Organization, type Reply, refusal } from './organization.ts';

const TRANSPORTS = ['edge', 'relay'] as const;
type Transport = (typeof TRANSPORTS)[number];

let server: HttpServer;
let byDefault: Organization;
let allowing: Organization;

beforeAll(async () => {
  [server, byDefault, allowing] = await Promise.all([
    startHttpServer(),
    newOrganization(await sharedGateway()),
    newOrganization(await sharedGateway('private')),
  ]);
});
afterAll(() => server?.stop());

/** Tries to make an endpoint. */
function add(organization: Organization, url: string, transport?: Transport): Promise<Reply> {
  return organization.call('POST', '/endpoints', {
    endpoint: `http-${randomUUID().slice(0, 8)}`,
    kind: 'http',
    config: { write_conn: { url }, ...(transport ? { transport } : {}) },
  });
}

const OPENED_BY =
  'The address is not public, and the setting HTTP_ALLOW_PRIVATE does not open it: the operator of the gateway can set HTTP_ALLOW_PRIVATE=true';
/** What a refusal says, the same whichever way is taken. */
const CLOSED = refusal('ADDRESS_REFUSED', OPENED_BY, [
  { rule: 'address' },
  { path: 'config.write_conn', message: OPENED_BY },
]);
const UNOPENED =
  "The address is one that no setting opens: link-local, a metadata service, no destination, or the gateway's own";
const NEVER = refusal('ADDRESS_REFUSED', UNOPENED, [
  { rule: 'address' },
  { path: 'config.write_conn', message: UNOPENED },
]);

test('there are enough of them', () => {
  const all = [...PRIVATE_HOSTS, ...NEVER_HOSTS];
  expect(new Set(all).size).toBe(all.length);
  expect(all.length).toBeGreaterThan(100);
});

describe.each(TRANSPORTS)('over the %s, by default', (transport) => {
  test.each(PRIVATE_HOSTS)(
    '%s is refused, and the setting that opens it is named',
    async (host) => {
      const reply = await add(byDefault, `http://${host}:${server.port}/`, transport);
      expect(reply).toEqual(CLOSED);
      expect(server.seen()).toEqual([]);
    },
  );

  test.each(NEVER_HOSTS)('%s is refused, and no setting opens it', async (host) => {
    const reply = await add(byDefault, `http://${host}:${server.port}/`, transport);
    expect(reply).toEqual(NEVER);
    expect(server.seen()).toEqual([]);
  });

  test.each(DECEIVING_URLS)('%s is no URL of an endpoint', async (url) => {
    const reply = await add(byDefault, url, transport);
    expect(reply).toMatchObject({ status: 400 });
    expect(server.seen()).toEqual([]);
  });
});

test('a name below localhost is refused by the edge without looking it up', async () => {
  const reply = await add(byDefault, `http://a.localhost:${server.port}/`, 'edge');
  expect(reply).toEqual(CLOSED);
});

test('without a transport the edge itself refuses', async () => {
  const reply = await add(byDefault, `http://127.0.0.1:${server.port}/`);
  expect(reply).toEqual(CLOSED);
});

describe('a name that resolves to a private address', async () => {
  const names = await namesOfThisMachine();
  // A machine of CI has to have one.
  const isShown = names.length > 0 || process.env.CI !== undefined;

  test.runIf(isShown)('is one that this machine has', () => {
    expect(names).not.toEqual([]);
  });

  test.runIf(isShown)('is refused by the relay, which looks it up', async () => {
    for (const name of names) {
      expect(await add(byDefault, `http://${name}:${server.port}/`, 'relay')).toEqual(CLOSED);
    }
    expect(server.seen()).toEqual([]);
  });

  test.runIf(isShown)('is refused by the network of the edge when it connects', async () => {
    for (const name of names) {
      expect(await add(byDefault, `http://${name}:${server.port}/`, 'edge')).toMatchObject({
        status: 502,
        body: { code: 'CONNECTION_FAILED' },
      });
    }
    expect(server.seen()).toEqual([]);
  });
});

/** Names that are not known for what they are, and lead here. */
async function namesOfThisMachine(): Promise<string[]> {
  const candidates = [hostname(), 'ip6-localhost', 'localhost.localdomain'];
  const found = await Promise.all(
    candidates.map(async (name) => {
      const addresses = await lookup(name, { all: true }).catch(() => []);
      const isHere = addresses.some(({ address }) => {
        const parsed = parseAddress(address);
        return parsed !== undefined && !isPublic(parsed);
      });
      return isHere ? [name] : [];
    }),
  );
  return found.flat();
}

describe.each(TRANSPORTS)('over the %s, with private addresses allowed', (transport) => {
  test('a private address is reached', async () => {
    server.seen();
    expect(await add(allowing, `${server.url}/v1`, transport)).toMatchObject({ status: 200 });
    expect(server.seen()).toHaveLength(1);
  });

  test.each(NEVER_HOSTS)('%s is refused nonetheless', async (host) => {
    const reply = await add(allowing, `http://${host}/`, transport);
    expect(reply).toEqual(NEVER);
  });

  test("the gateway's own port is refused", async () => {
    const { port } = new URL(allowing.gateway.url);
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433']) {
      expect(await add(allowing, `http://${host}:${port}/`, transport)).toEqual(NEVER);
    }
  });

  test.each([
    ['metadata', 'http://169.254.169.254/latest/meta-data/'],
    ['metadata in other words', 'http://[::ffff:a9fe:a9fe]/'],
    ['no destination', 'http://0.0.0.0/'],
    ['another protocol', 'file:///etc/passwd'],
    ['a script', 'javascript:alert(1)'],
  ])('a redirect to %s is refused', async (_what, location) => {
    const made = await add(allowing, `${server.url}/v1`, transport);
    const { id } = (made.body as { data: { id: string } }).data;
    const body = { path: '/to', query: { location } };
    expect(await allowing.call('POST', `/endpoints/${id}/read`, body)).toMatchObject({
      status: 400,
      body: { code: 'ADDRESS_REFUSED' },
    });
  });

  test('a redirect to the gateway itself is refused', async () => {
    const made = await add(allowing, `${server.url}/v1`, transport);
    const { id } = (made.body as { data: { id: string } }).data;
    const body = { path: '/to', query: { location: `${allowing.gateway.url}/healthz` } };
    expect(await allowing.call('POST', `/endpoints/${id}/read`, body)).toMatchObject({
      status: 400,
      body: { code: 'ADDRESS_REFUSED' },
    });
  });
});
