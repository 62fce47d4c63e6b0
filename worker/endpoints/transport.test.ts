/** Who speaks to a backend: the edge or a relay. Contract §6, "Edge or relay". */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { failure, startGateway } from '../test/gateway.ts';
import { transportsOf } from './transport.ts';

describe('what is kept of a connection', () => {
  test.each([
    ['http', 'https://api.example.com', 'public'],
    ['http', 'https://10.0.0.1', 'public'],
    ['http', 'https://a.upstash.io', 'edge'],
    ['http', 'https://A.PineCone.IO./x', 'edge'],
    ['http', 'https://pinecone.io.evil.test', 'public'],
    ['http', 'https://evil.test/.pinecone.io', 'public'],
    ['pinecone', 'https://i-1.svc.x.pinecone.io', 'edge'],
    ['pinecone', 'https://index.example.com', 'public'],
  ] as const)('of %s at %s is %s', (kind, url, expected) => {
    expect(transportsOf(kind, { write_conn: { url } })).toEqual({ write: expected });
  });

  test.each([
    ['mongo', { url: 'mongodb://u:p@db.neon.tech/d' }],
    ['postgres', { url: 'postgresql://u:p@db.example.com/d' }],
    ['postgres', { url: 'postgresql://u:p@a.neon.tech,db.example.com/d' }],
    ['postgres', { url: 'postgresql://u:p@a.neon.tech/d?host=db.example.com' }],
    ['cassandra', { host: 'db.psdb.cloud' }],
  ] as const)('of %s at %j is nothing: a relay serves it', (kind, connection) => {
    expect(transportsOf(kind, { write_conn: connection })).toBeNull();
  });

  test('is of each by itself, and what the configuration says of all', () => {
    const config = {
      write_conn: { url: 'https://a.upstash.io' },
      read_conn: { url: 'https://b.example.com' },
    };
    expect(transportsOf('http', config)).toEqual({ write: 'edge', read: 'public' });
    expect(transportsOf('http', { ...config, transport: 'edge' })).toEqual({
      write: 'edge',
      read: 'edge',
    });
    expect(transportsOf('http', { ...config, transport: 'relay' })).toBeNull();
  });
});

test('a kind that has no driver at the edge cannot be served there', async () => {
  const gateway = await startGateway('SuperAdmin');
  const body = {
    endpoint: 'orders',
    kind: 'mongo',
    config: { write_conn: { url: 'mongodb://db.test' }, transport: 'edge' },
  };
  const details = [{ path: 'config.transport', message: 'must be relay, or left out' }];
  expect(await gateway.call('POST', '/endpoints', body)).toEqual({
    status: 400,
    body: failure('INVALID_CONFIGURATION', 'Mongo endpoints are served by relays only', details),
  });
});

/** Who was asked: the platform's network, the self-hosted edge's, or a relay. */
async function asked(
  config: { readonly [member: string]: Json },
  { selfHosted, allowPrivate }: { readonly selfHosted: boolean; readonly allowPrivate: boolean },
  profile?: string,
): Promise<string[]> {
  const seen: string[] = [];
  const answers = (who: string) => async (): Promise<Response> => {
    seen.push(who);
    return new Response();
  };
  const gateway = await startGateway('SuperAdmin', {
    relay: {
      ping() {
        seen.push('relay');
        return { latencyUs: 1n };
      },
      release: () => ({}),
    },
    fetch: answers('platform'),
    bindings: {
      ...(selfHosted ? { NETWORK: { fetch: answers('network') } } : {}),
      HTTP_ALLOW_PRIVATE: String(allowPrivate),
    },
  });
  const made = await gateway.call('POST', '/endpoints', {
    endpoint: 'orders',
    kind: 'http',
    config,
    ...(profile ? { backend_profile: profile } : {}),
  });
  expect(made.status).toBe(200);
  seen.length = 0;
  await gateway.call('POST', '/endpoints/orders/test');
  await gateway.settle();
  return seen.toSorted();
}

describe('who is asked', () => {
  const ANY = { write_conn: { url: 'https://api.example.com' } };
  const VENDOR = { write_conn: { url: 'https://a.upstash.io' } };
  const [selfHosted, platform] = [true, false];
  const both = (who: string) => [who, who];

  test.each([
    ['any host of a self-hosted edge', ANY, selfHosted, false, both('network')],
    ['any host, with private addresses allowed', ANY, selfHosted, true, both('relay')],
    ['any host on the platform', ANY, platform, false, both('relay')],
    [
      'any host that is to be at the edge',
      { ...ANY, transport: 'edge' },
      platform,
      false,
      both('platform'),
    ],
    [
      'the same, with private addresses allowed',
      { ...ANY, transport: 'edge' },
      selfHosted,
      true,
      both('network'),
    ],
    ["a vendor's host on the platform", VENDOR, platform, false, both('platform')],
    ["a vendor's host of a self-hosted edge", VENDOR, selfHosted, true, both('network')],
    [
      "a vendor's host that is to be at a relay",
      { ...VENDOR, transport: 'relay' },
      selfHosted,
      false,
      both('relay'),
    ],
    [
      'one of each',
      { ...ANY, read_conn: VENDOR.write_conn },
      selfHosted,
      true,
      ['network', 'relay'],
    ],
  ] as const)('for %s', async (_for, config, isSelfHosted, allowPrivate, expected) => {
    expect(await asked(config, { selfHosted: isSelfHosted, allowPrivate })).toEqual(expected);
  });

  test('is the connection for development, under that profile', async () => {
    const config = { ...ANY, development_conn: VENDOR.write_conn };
    const settings = { selfHosted, allowPrivate: true };
    expect(await asked(config, settings, 'development')).toEqual(both('network'));
    expect(await asked(config, settings)).toEqual(both('relay'));
  });
});
