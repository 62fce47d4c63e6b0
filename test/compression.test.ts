/** Replies are compressed for clients that take it, and say the same as without. Contract §1; RFC 9110 §12.5.3. */
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Gateway, sharedGateway, startGateway } from './gateway.ts';
import { newOrganization, type Organization } from './organization.ts';
import { backend, freshDatabase } from './servers/backends.ts';

let organization: Organization;
let endpoint: string;
let database: string;
beforeAll(async () => {
  const [gateway, server] = await Promise.all([sharedGateway(), backend('postgres')]);
  database = (await freshDatabase(server)).url;
  organization = await newOrganization(gateway);
  endpoint = await organization.addPostgres(database);
});

interface Raw {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** As it came: nothing is decoded. */
  readonly bytes: Buffer;
}

/** A read of so many rows, by a client that decodes nothing. */
async function read(
  rows: number,
  headers: Readonly<Record<string, string>>,
  { gateway, token }: Pick<Organization, 'gateway' | 'token'> = organization,
  name = endpoint,
): Promise<Raw> {
  const query = `select n, repeat('x', 20) as text from generate_series(1, ${rows}) n`;
  const asked = request(`${gateway.url}/api/v1/endpoints/${name}/read`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      ...headers,
    },
  });
  asked.end(JSON.stringify({ query }));
  const [reply] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: reply.statusCode, headers: reply.headers, bytes: await buffer(reply) };
}

describe('a long reply', () => {
  test.each([
    'gzip',
    'deflate, gzip;q=0.5, br',
    'GZIP',
    '*',
    'identity;q=0.5, gzip',
    'gzip, *;q=0',
  ])('is compressed for Accept-Encoding: %s', async (accept) => {
    const plain = await read(1_000, {});
    const small = await read(1_000, { 'Accept-Encoding': accept });
    expect(small.status).toBe(200);
    expect(small.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(small.bytes)).toEqual(plain.bytes);
    expect(small.bytes.byteLength).toBeLessThan(plain.bytes.byteLength / 4);
  });

  test.each([
    undefined,
    '',
    'br',
    'identity',
    'gzip;q=0',
    'gzip;q=0, *',
    '*;q=0',
    'identity, gzip;q=0.5',
    'gzipped',
  ])('is sent as it is for Accept-Encoding: %s', async (accept) => {
    const { headers, bytes } = await read(
      1_000,
      accept === undefined ? {} : { 'Accept-Encoding': accept },
    );
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Accept-Encoding']);
    expect(JSON.parse(bytes.toString())).toMatchObject({ data: { row_count: 1_000 } });
  });

  test('of many megabytes is whole', async () => {
    const plain = await read(100_000, {});
    const small = await read(100_000, { 'Accept-Encoding': 'gzip' });
    expect(plain.bytes.byteLength).toBeGreaterThan(3_000_000);
    expect(gunzipSync(small.bytes)).toEqual(plain.bytes);
  });

  test('as CSV is compressed too', async () => {
    const plain = await read(1_000, { Accept: 'text/csv' });
    const small = await read(1_000, { Accept: 'text/csv', 'Accept-Encoding': 'gzip' });
    expect(small.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': plain.headers['content-type'],
    });
    expect(gunzipSync(small.bytes)).toEqual(plain.bytes);
  });

  test('as lines is not: each is told as it comes', async () => {
    const lines = await read(1_000, { Accept: 'application/x-ndjson', 'Accept-Encoding': 'gzip' });
    expect(lines.headers['content-encoding']).toBeUndefined();
  });
});

test('a short reply is sent as it is', async () => {
  const { headers, bytes } = await read(1, { 'Accept-Encoding': 'gzip' });
  expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
  expect(JSON.parse(bytes.toString())).toMatchObject({ data: { row_count: 1 } });
});

test.each([
  ['COMPRESSION=off sends nothing compressed', ['--host', '127.0.0.1'], 'off', undefined],
  ['a gateway that listens on all addresses compresses once', ['--host', '0.0.0.0'], '', 'gzip'],
])('%s', async (_, args, COMPRESSION, coding) => {
  const gateway = await startGateway({ args, env: { COMPRESSION, RELAY_ALLOW: '*' } });
  onTestFinished(() => gateway.stop().then(() => undefined));
  const own = await newOrganization(onLoopback(gateway));
  const name = await own.addPostgres(database);
  const { headers, bytes } = await read(1_000, { 'Accept-Encoding': 'gzip' }, own, name);
  expect(headers['content-encoding']).toBe(coding);
  const text = coding === undefined ? bytes : gunzipSync(bytes);
  expect(JSON.parse(text.toString())).toMatchObject({ data: { row_count: 1_000 } });
});

function onLoopback(gateway: Gateway): Gateway {
  return { ...gateway, url: gateway.url.replace('0.0.0.0', '127.0.0.1') };
}
