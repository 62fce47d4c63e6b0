/** That configurations are sealed, each to its own endpoint. */
import { env } from 'cloudflare:test';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { newDataKey } from '../secrets/seal.ts';
import { failure, startGateway, type TestGateway } from '../test/gateway.ts';
import { pingingRelay } from '../test/pinging-relay.ts';
import { envelopeOf } from './config.ts';

const PASSWORD = `s3cret"pass'word`;
const CONFIG = { write_conn: { host: 'db.test', auth: PASSWORD } };
const body = (endpoint: string, config: Json = CONFIG): Json => ({
  endpoint,
  kind: 'postgres',
  config,
});

async function start(bindings: Record<string, unknown> = {}) {
  const relay = pingingRelay();
  const gateway = await startGateway('Admin', { relay: relay.methods, bindings });
  return { relay, gateway };
}

async function rawRow(gateway: TestGateway, id: string) {
  const row = await env.DB.prepare('SELECT * FROM endpoints WHERE org_uuid = ? AND id = ?')
    .bind(gateway.organization.uuid, id)
    .first<Record<string, unknown>>();
  if (!row) throw new Error(`No endpoint ${id}`);
  return row;
}

const UNOPENED = {
  status: 500,
  body: failure('INTERNAL', 'A stored secret cannot be opened'),
};

describe('at rest', () => {
  test('no part of a configuration can be read', async () => {
    const { gateway } = await start();
    await gateway.call('POST', '/endpoints', body('a'));
    await gateway.call('PATCH', '/endpoints/a', {
      config: { read_conn: { host: 'replica.test' } },
    });
    const stored = JSON.stringify(await rawRow(gateway, 'a'));
    for (const part of ['s3cret', 'db.test', 'replica.test', 'write_conn']) {
      expect(stored).not.toContain(part);
    }
    expect(stored).toContain('"sealed_config":"v1.');
  });

  test('two equal configurations are not sealed alike', async () => {
    const { gateway } = await start();
    for (const id of ['a', 'b']) await gateway.call('POST', '/endpoints', body(id));
    const [a, b] = [await rawRow(gateway, 'a'), await rawRow(gateway, 'b')];
    expect(a.sealed_config).not.toBe(b.sealed_config);
  });

  test('one that was moved to another endpoint does not open', async () => {
    const { gateway } = await start();
    for (const id of ['a', 'b']) await gateway.call('POST', '/endpoints', body(id));
    const { sealed_config } = await rawRow(gateway, 'a');
    await env.DB.prepare("UPDATE endpoints SET sealed_config = ? WHERE org_uuid = ? AND id = 'b'")
      .bind(sealed_config, gateway.organization.uuid)
      .run();
    expect((await gateway.call('GET', '/endpoints/a')).status).toBe(200);
    expect(await gateway.call('GET', '/endpoints/b')).toEqual(UNOPENED);
  });

  test('one that was moved to another organization, with its data key, does not open', async () => {
    const [{ gateway }, { gateway: thief }] = [await start(), await start()];
    await gateway.call('POST', '/endpoints', body('a'));
    const { uuid } = await rawRow(gateway, 'a');
    await env.DB.prepare('UPDATE organizations SET sealed_data_key = ? WHERE uuid = ?')
      .bind(gateway.organization.sealedDataKey, thief.organization.uuid)
      .run();
    await env.DB.prepare('UPDATE endpoints SET org_uuid = ? WHERE uuid = ?')
      .bind(thief.organization.uuid, uuid)
      .run();
    expect(await thief.call('GET', '/endpoints/a')).toEqual(UNOPENED);
  });
});

describe('the installation key', () => {
  const OLD = 'A'.repeat(43);
  const NEW = 'B'.repeat(43);

  test.each([
    { keys: { INSTALLATION_KEY: NEW, INSTALLATION_KEY_PREVIOUS: OLD }, statuses: [200, 200] },
    { keys: { INSTALLATION_KEY: OLD }, statuses: [200, 200] },
    { keys: { INSTALLATION_KEY: NEW }, statuses: [500, 404] },
  ])('$keys: what the old one sealed answers $statuses', async ({ keys, statuses }) => {
    const { gateway } = await start(keys);
    const { uuid } = gateway.organization;
    const sealed = await newDataKey({ ...gateway.settings, INSTALLATION_KEY: OLD }, uuid);
    await env.DB.prepare('UPDATE organizations SET sealed_data_key = ? WHERE uuid = ?')
      .bind(sealed, uuid)
      .run();
    const replies = [
      await gateway.call('POST', '/endpoints', body('a')),
      await gateway.call('GET', '/endpoints/a'),
    ];
    expect(replies.map(({ status }) => status)).toEqual(statuses);
  });
});

describe('in replies and logs', () => {
  const printed: unknown[][] = [];
  beforeEach(() => {
    printed.length = 0;
    for (const method of ['error', 'warn', 'log', 'info', 'debug'] as const) {
      vi.spyOn(console, method).mockImplementation((...given) => void printed.push(given));
    }
  });
  afterEach(() => vi.restoreAllMocks());

  const secret = fc.stringMatching(/^[\w!$%'"@:/?#&= -]{6,20}$/).map((text) => `Q7z${text}Z9q`);
  const connection = fc.oneof(
    fc.record({ host: fc.constant('h'), auth: secret }),
    fc.record({ url: secret.map((text) => `postgresql://u:${encodeURIComponent(text)}@h/d`) }),
    fc.record({ url: secret.map((text) => `postgresql://u:${text}@h/d?password=${text}`) }),
    fc.record({
      host: fc.constant('nowhere'),
      auth: fc.record({ username: secret, password: secret }),
    }),
    fc.record({ url: fc.constant('x'), colour: secret }),
  );

  test('no secret appears, whether the configuration is taken or refused', async () => {
    const { gateway, relay } = await start();
    relay.state.unreachable = 'nowhere';
    let made = 0;
    await fc.assert(
      fc.asyncProperty(connection, connection, async (write_conn, read_conn) => {
        made += 1;
        const id = `e${made}`;
        const replies = [
          await gateway.call('POST', '/endpoints', body(id, { write_conn, read_conn })),
          await gateway.call('GET', `/endpoints/${id}`),
          await gateway.call('PATCH', `/endpoints/${id}`, { config: { write_conn: read_conn } }),
          await gateway.call('POST', `/endpoints/${id}/test`),
          await gateway.call('GET', '/endpoints'),
        ];
        const told = JSON.stringify([replies, printed]);
        expect(told).not.toContain('Q7z');
        expect(told).not.toContain('Z9q');
      }),
      { numRuns: 30 },
    );
  });
});

describe('envelopeOf', () => {
  const all = { write_conn: 'w', read_conn: 'r', development_conn: 'd', allow_functions: true };

  test.each([
    ['write', 'production', all, 'w'],
    ['read', 'production', all, 'r'],
    ['write', 'development', all, 'd'],
    ['read', 'development', all, 'd'],
    ['read', 'production', { write_conn: 'w', development_conn: 'd' }, 'w'],
    ['read', 'development', { write_conn: 'w', read_conn: 'r' }, 'r'],
    ['write', 'development', { write_conn: 'w', read_conn: 'r' }, 'w'],
  ] as const)('for %s under %s picks of %j %s', (mode, profile, config, connection) => {
    expect(envelopeOf(config, mode, profile).connection).toBe(connection);
  });

  test('brings the members besides the connections, and no other connection', () => {
    expect(envelopeOf(all, 'write', 'production')).toEqual({
      connection: 'w',
      use: 'writes',
      settings: { allow_functions: true },
    });
  });

  test.each([
    ['write', 'production', all, 'writes'],
    ['read', 'production', all, 'reads'],
    ['read', 'development', all, 'development'],
    ['read', 'production', { write_conn: 'w' }, 'all'],
    ['write', 'production', { write_conn: 'w' }, 'all'],
  ] as const)('tells for %s under %s of %j its use: %s', (mode, profile, config, use) => {
    expect(envelopeOf(config, mode, profile).use).toBe(use);
  });
});
