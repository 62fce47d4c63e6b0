/** Traces of requests, as a receiver of OTLP gets them: from the gateway as JSON, from its relay in binary form. */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { type OwnGateway, startGateway } from './gateway.ts';
import { newOrganization, type Organization } from './organization.ts';
import { type DecodedSpan, decodeTraces } from './otlp/decode.ts';
import { backend } from './servers/backends.ts';

/**
 * Shapes of opentelemetry-proto, trace_service.proto, as OTLP writes them in JSON; no other member
 * may be there.
 */
const Attribute = z.strictObject({
  key: z.string(),
  value: z.union([
    z.strictObject({ stringValue: z.string() }),
    z.strictObject({ intValue: z.union([z.int(), z.string().regex(/^-?\d+$/)]) }),
  ]),
});
const Dropped = z.int().min(0).optional();
const Span = z.strictObject({
  traceId: z.string().regex(/^[\da-f]{32}$/),
  spanId: z.string().regex(/^[\da-f]{16}$/),
  traceState: z.string().optional(),
  parentSpanId: z
    .string()
    .regex(/^[\da-f]{16}$/)
    .optional(),
  flags: z.int().optional(),
  name: z.string(),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: z.string().regex(/^\d{19}$/),
  endTimeUnixNano: z.string().regex(/^\d{19}$/),
  attributes: z.array(Attribute),
  droppedAttributesCount: Dropped,
  events: z.tuple([]).optional(),
  droppedEventsCount: Dropped,
  links: z.tuple([]).optional(),
  droppedLinksCount: Dropped,
  status: z.strictObject({ code: z.int().min(0).max(2) }).optional(),
});
const Resource = z.strictObject({
  attributes: z.array(Attribute),
  droppedAttributesCount: Dropped,
});
const ScopeSpans = z.strictObject({
  scope: z.strictObject({ name: z.string() }),
  spans: z.array(Span),
});
const Exported = z.strictObject({
  resourceSpans: z.array(z.strictObject({ resource: Resource, scopeSpans: z.array(ScopeSpans) })),
});

const seen: DecodedSpan[] = [];
/** Of requests to the receiver. */
const headers: IncomingMessage['headers'][] = [];
/** Of requests to the backend of kind http. */
const backendHeaders: IncomingMessage['headers'][] = [];
let receiver: Server;
let backendServer: Server;
let gateway: OwnGateway;
let organization: Organization;

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // It listens on a port.
}

beforeAll(async () => {
  receiver = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      headers.push(request.headers);
      const bytes = Buffer.concat(chunks);
      const isJson = request.headers['content-type'] === 'application/json';
      seen.push(...(isJson ? fromJson(JSON.parse(bytes.toString())) : decodeTraces(bytes)));
      reply.writeHead(request.url === '/v1/traces' ? 200 : 404).end();
    });
  });
  backendServer = createServer((request, reply) => {
    backendHeaders.push(request.headers);
    reply.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  const url = await listening(receiver);
  gateway = await startGateway({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      HTTP_ALLOW_PRIVATE: 'true',
    },
  });
  organization = await newOrganization(gateway);
  const { url: postgres } = await backend('postgres');
  const endpoint = { endpoint: 'pg', kind: 'postgres', config: { write_conn: { url: postgres } } };
  await organization.call('POST', '/endpoints', endpoint);
  // The first call of a pool is sent twice: with the connection that the relay asks for.
  await organization.call('POST', '/endpoints/pg/read', { query: 'SELECT 1' });
  const base = await listening(backendServer);
  for (const transport of ['relay', 'edge']) {
    const config = { write_conn: { url: base }, transport };
    await organization.call('POST', '/endpoints', {
      endpoint: `http-${transport}`,
      kind: 'http',
      config,
    });
  }
});
afterAll(async () => {
  await gateway.stop();
  for (const server of [receiver, backendServer]) {
    server.close();
    server.closeAllConnections();
  }
});

function fromJson(value: unknown): DecodedSpan[] {
  return Exported.parse(value).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: attributesOf(resource.attributes)['service.name'] ?? '',
        traceId: span.traceId,
        id: span.spanId,
        parentId: span.parentSpanId ?? '',
        name: span.name,
        kind: span.kind,
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        attributes: attributesOf(span.attributes),
      })),
    ),
  );
}

function attributesOf(all: readonly z.infer<typeof Attribute>[]): Record<string, string> {
  return Object.fromEntries(
    all.map(({ key, value }) => [
      key,
      String('intValue' in value ? value.intValue : value.stringValue),
    ]),
  );
}

/** A trace of the client's own, and the header that gives it. */
function clientsTrace(flags = '01') {
  const [traceId, id] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return {
    traceId,
    id,
    headers: { traceparent: `00-${traceId}-${id}-${flags}`, tracestate: 'v=1' },
  };
}

async function spansOf(traceId: string, count: number): Promise<DecodedSpan[]> {
  const own = () => seen.filter((span) => span.traceId === traceId);
  await expect.poll(() => own().length).toBeGreaterThanOrEqual(count);
  return own();
}

test("a read is one span with its parts, in the client's trace, down to the backend", async () => {
  const { traceId, id, headers: given } = clientsTrace();
  const reply = await organization.call('POST', '/endpoints/pg/read', { query: 'SELECT 1' }, given);
  expect(reply).toMatchObject({ status: 200 });
  const spans = await spansOf(traceId, 5);
  const named = Object.fromEntries(spans.map((span) => [span.name, span]));
  const [own, authorize, relay, run, asked] = [
    'POST /api/v1/endpoints/:endpoint/read',
    'authorize',
    'relay',
    'relay Run',
    'backend',
  ].map((name) => named[name]);
  expect(spans).toHaveLength(5);
  expect(own).toMatchObject({
    service: 'causeway-gateway',
    parentId: id,
    kind: 2,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/api/v1/endpoints/:endpoint/read',
      'http.response.status_code': '200',
      'causeway.endpoint': 'pg',
      'causeway.organization': organization.id,
      'causeway.request_id': expect.any(String),
    },
  });
  expect(authorize).toMatchObject({ service: 'causeway-gateway', parentId: own?.id, kind: 1 });
  expect(relay).toMatchObject({ service: 'causeway-gateway', parentId: own?.id, kind: 3 });
  expect(run).toMatchObject({ service: 'causeway-relay', parentId: relay?.id, kind: 2 });
  expect(asked).toMatchObject({ service: 'causeway-relay', parentId: run?.id, kind: 3 });
  expect(run?.attributes['causeway.request_id']).toBe(own?.attributes['causeway.request_id']);
  for (const span of spans) expect(span.end >= span.start).toBe(true);
  expect(headers.every((each) => each['x-key'] === 'a b')).toBe(true);
});

test.each(['relay', 'edge'])('an http backend behind the %s gets the trace', async (transport) => {
  const { traceId, headers: given } = clientsTrace();
  const path = `/endpoints/http-${transport}/read`;
  const reply = await organization.call('POST', path, { method: 'GET', path: '/' }, given);
  expect(reply).toMatchObject({ status: 200 });
  const [, trace, parent, flags] = backendHeaders.at(-1)?.traceparent?.toString().split('-') ?? [];
  expect([trace, flags]).toEqual([traceId, '01']);
  expect(backendHeaders.at(-1)?.tracestate).toBe('v=1');
  const spans = await spansOf(traceId, transport === 'relay' ? 5 : 3);
  expect(spans.map(({ id }) => id)).toContain(parent);
});

test("a header of the request's own wins", async () => {
  const own = clientsTrace();
  const body = { method: 'GET', path: '/', headers: own.headers };
  await organization.call('POST', '/endpoints/http-relay/read', body, clientsTrace().headers);
  expect(backendHeaders.at(-1)?.traceparent).toBe(own.headers.traceparent);
});

test('what the client does not trace is not told, and passed on as such', async () => {
  const { traceId, headers: given } = clientsTrace('00');
  const path = '/endpoints/http-relay/read';
  await organization.call('POST', path, { method: 'GET', path: '/' }, given);
  const [, trace, , flags] = backendHeaders.at(-1)?.traceparent?.toString().split('-') ?? [];
  expect([trace, flags]).toEqual([traceId, '00']);
  const other = clientsTrace();
  await organization.call('GET', '/endpoints/pg', undefined, other.headers);
  await spansOf(other.traceId, 2);
  expect(seen.filter((span) => span.traceId === traceId)).toEqual([]);
});

test.each([
  'nonsense',
  '00-0-0-01',
  `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`,
  `ff-${'1'.repeat(32)}-${'1'.repeat(16)}-01`,
])('a traceparent that is none begins a trace of its own: %s', async (traceparent) => {
  const requestId = randomBytes(8).toString('hex');
  await organization.call('GET', '/endpoints', undefined, {
    traceparent,
    'X-Request-Id': requestId,
  });
  const own = () => seen.find((span) => span.attributes['causeway.request_id'] === requestId);
  await expect
    .poll(own)
    .toMatchObject({ parentId: '', traceId: expect.stringMatching(/^[\da-f]{32}$/) });
});
