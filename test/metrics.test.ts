/** Metrics of gateway and relay: every name that is exported is documented, and no other. Contract §11, METRICS_TOKEN. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../server/bundle.ts';
import { freePort } from '../server/ports.ts';
import { type OwnGateway, startGateway } from './gateway.ts';
import { newOrganization, type Organization, refusal } from './organization.ts';
import { startRelayAlone } from './relay-alone.ts';
import { backend } from './servers/backends.ts';

const METRICS_TOKEN = 'token-for-metrics';
const LINE =
  /^(# (HELP|TYPE) [a-z0-9_:]+ .+|[a-z0-9_:]+(\{([a-z_]+="[^"\\\n]*",?)*\})? ([-+\d.e]+|NaN|[-+]Inf)|)$/i;

let gateway: OwnGateway;
let organization: Organization;
let relayPort: number;
beforeAll(async () => {
  relayPort = await freePort('127.0.0.1');
  gateway = await startGateway({
    args: ['--relay-port', String(relayPort)],
    env: { METRICS_TOKEN },
  });
  organization = await newOrganization(gateway);
  const { url } = await backend('postgres');
  const endpoint = { endpoint: 'pg', kind: 'postgres', config: { write_conn: { url } } };
  await organization.call('POST', '/endpoints', endpoint);
  await organization.call('POST', '/endpoints/pg/read', { query: 'SELECT 1' });
  await organization.call('POST', '/endpoints/pg/read', { query: 'SELEC' });
});
afterAll(() => gateway.stop());

/** What is no part of the API is in no description of it. */
function get(url: string, init?: RequestInit): Promise<Response> {
  // biome-ignore lint/style/noRestrictedGlobals: there is no description to hold it to.
  return fetch(url, init);
}

function metrics(url: string, token = METRICS_TOKEN): Promise<Response> {
  return get(`${url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
}

/** Names by their `# TYPE` lines. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name).toSorted();
}

/** Names in the page's section on metrics, each in a code of its own. */
async function documented(of: RegExp): Promise<string[]> {
  const page = await readFile(join(ROOT, 'docs/operate.md'), 'utf8');
  const [, section = ''] = /^## Metrics\n([\s\S]*?)^## /m.exec(page) ?? [];
  const names = [...section.matchAll(/`([a-z]+_[a-z0-9_]+)`/g)].map(([, name = '']) => name);
  return [...new Set(names.filter((name) => of.test(name)))].toSorted();
}

test('of the gateway count requests by route, and their parts', async () => {
  const reply = await metrics(gateway.url);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await reply.text();
  expect(text.split('\n').filter((line) => !LINE.test(line))).toEqual([]);
  const read = 'method="POST",route="/api/v1/endpoints/:endpoint/read"';
  expect(text).toContain(`gateway_requests_total{${read},status="200"} 1\n`);
  expect(text).toContain(`gateway_requests_total{${read},status="400"} 1\n`);
  expect(text).toContain(`gateway_request_duration_seconds_count{${read}} 2\n`);
  expect(text).toContain(`gateway_request_duration_seconds_bucket{${read},le="+Inf"} 2\n`);
  expect(text).toContain('gateway_failures_total{code="REQUEST_FAILED"} 1\n');
  expect(text).toMatch(/^gateway_request_part_seconds_count\{part="backend"\} [1-9]/m);
  expect(text).toMatch(/^gateway_requests_in_flight 1$/m);
  expect(text).not.toContain(organization.id);
});

test('of the gateway and its relay are all documented, and no others', async () => {
  const own = namesIn(await (await metrics(gateway.url)).text());
  expect(own).toEqual(await documented(/^gateway_/));
  const reply = await metrics(`http://127.0.0.1:${relayPort}`);
  const ofRelay = namesIn(await reply.text());
  expect(ofRelay).toEqual(await documented(/^(relay|process|nodejs)_/));
});

test('count methods and paths of no route as one', async () => {
  await get(`${gateway.url}/nowhere/${organization.id}`, { method: 'PROPFIND' });
  const text = await (await metrics(gateway.url)).text();
  expect(text).toMatch(/^gateway_requests_total\{method="other",route="other",status="404"\} /m);
  expect(text).not.toMatch(/PROPFIND|nowhere/);
});

test('need the token', async () => {
  expect((await metrics(`http://127.0.0.1:${relayPort}`, 'another')).status).toBe(401);
  const refused = await metrics(gateway.url, 'another');
  expect({ status: refused.status, body: await refused.json() }).toEqual(
    refusal('TOKEN_INVALID', 'Invalid token format'),
  );
  const without = await get(`${gateway.url}/metrics`);
  expect({ status: without.status, body: await without.json() }).toEqual(
    refusal('TOKEN_REQUIRED', 'Authentication token required', expect.any(Array)),
  );
});

test('of a relay that others reach are not there without a token', async () => {
  const relay = await startRelayAlone({ RELAY_HOST: '0.0.0.0' });
  try {
    expect((await get(`http://127.0.0.1:${relay.port}/metrics`)).status).toBe(404);
    expect((await get(`http://127.0.0.1:${relay.port}/healthz`)).status).toBe(200);
  } finally {
    await relay.stop();
  }
});
