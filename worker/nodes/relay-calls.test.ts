/** What relays call: enrolling and beats. Spec: nodes.md §1. */
import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { at, enrol, enrolled, type Made, SPENT, start, TOLD, unsigned } from '../test/enrolled.ts';
import { failure, NOW } from '../test/gateway.ts';
import { BEAT, relayKeys, relayProcess } from '../test/relay-keys.ts';
import { nodeObject } from './node-object.ts';
import type { RelayNode } from './relay-node.ts';
import { NONCES_MAX } from './used-nonces.ts';

describe('POST /nodes/enrol', () => {
  test('gives the node its keys, once', async () => {
    const { gateway, node, keys, reply } = await enrolled();
    expect(reply).toEqual({
      status: 200,
      body: {
        uuid: node.uuid,
        name: 'berlin-1',
        organization: gateway.organization.uuid,
        transport: 'direct',
        nonce: expect.any(String),
        time: NOW,
        gateway_keys: [{ kty: 'OKP', crv: 'Ed25519', x: expect.any(String) }],
      },
    });
    expect(await enrol(gateway, node.enrolment_secret, keys)).toEqual(SPENT);
  });

  test('refuses a secret that is unknown or an hour old', async () => {
    const { gateway, register } = await start();
    const node = await register();
    const keys = await relayKeys();
    expect(await enrol(gateway, 'cwn_unknown', keys)).toEqual(SPENT);
    gateway.clock.now += 3_600_000;
    expect(await enrol(gateway, node.enrolment_secret, keys)).toEqual(SPENT);
  });

  test('refuses keys whose private half the relay does not hold, and its secret serves on', async () => {
    const { gateway, register } = await start();
    const node = await register();
    const { enrolment_secret: secret } = node;
    const [keys, others] = [await relayKeys(), await relayKeys()];
    const refusal = unsigned(
      'The enrolment is not signed with the private half of its signing_key',
    );
    const told = { ...keys.told, signing_key: others.told.signing_key };
    const body = { secret, ...keys.told, ...TOLD };
    const noPoint = JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: '_'.repeat(43) });
    // Another's public key, whole or in place of one's own; another secret or key than was signed; a key that is none.
    for (const refused of [
      await enrol(gateway, secret, keys, { key: others.signing }),
      await enrol(gateway, secret, { ...keys, told }),
      await enrol(gateway, secret, keys, { body: { ...body, name: 'other' } }),
      await enrol(gateway, secret, keys, {
        body: { ...body, sealing_key: others.told.sealing_key },
      }),
      await enrol(gateway, secret, { ...keys, told: { ...told, signing_key: noPoint } }),
      await gateway.call('POST', '/nodes/enrol', body, ''),
    ]) {
      expect(refused).toEqual(refusal);
    }
    expect(await enrol(gateway, secret, keys)).toMatchObject({
      status: 200,
      body: { uuid: node.uuid },
    });
  });

  test('takes a new secret, until when the old keys serve', async () => {
    const { gateway, node, relay } = await enrolled();
    const { body } = await gateway.call('POST', `/nodes/${node.uuid}/enrolment`);
    expect((await relay.beat(node.uuid)).status).toBe(200);
    const next = await relayKeys();
    expect((await enrol(gateway, (body as Made).enrolment_secret, next)).status).toBe(200);
    expect((await relay.beat(node.uuid)).status).toBe(401);
    expect((await relayProcess(gateway, next).beat(node.uuid)).status).toBe(200);
  });

  test('is in the audit with all else that is done to a node', async () => {
    const { gateway, node } = await enrolled();
    for (const verb of ['drain', 'resume', 'enrolment']) {
      await gateway.call('POST', `/nodes/${node.uuid}/${verb}`);
    }
    await gateway.call('DELETE', `/nodes/${node.uuid}`);
    const { body } = await gateway.call('GET', '/audit');
    const { entries } = body as { entries: { action: string; resource: string; actor: string }[] };
    const seen = entries.filter(({ resource }) => resource === `node:${node.uuid}`);
    expect(seen.map(({ action }) => action).reverse()).toEqual([
      'node.create',
      'node.enrol',
      'node.drain',
      'node.resume',
      'node.enrolment',
      'node.delete',
    ]);
    expect(seen.at(-2)?.actor).toBe('node:berlin-1');
  });
});

describe('POST /nodes/{node}/beat', () => {
  test('tells how the node is', async () => {
    const { gateway, node, relay, list } = await enrolled();
    gateway.clock.now += 1_000;
    expect((await relay.beat(node.uuid)).status).toBe(200);
    expect((await list())[1]).toMatchObject({
      status: 'available',
      version: BEAT.version,
      kinds: BEAT.kinds,
      load: BEAT.load,
      clock_offset_ms: -7,
      last_seen: at(NOW + 1_000),
    });
    await relay.beat(node.uuid, { stopping: true });
    expect((await list())[1]).toMatchObject({ status: 'draining' });
    await relay.beat(node.uuid);
    gateway.clock.now += 30_001;
    expect((await list())[1]).toMatchObject({ status: 'unavailable' });
  });

  test('is refused when it is replayed, forged, changed, or of no node', async () => {
    const { gateway, node, relay } = await enrolled();
    const path = `/nodes/${node.uuid}/beat`;
    const first = await relay.beat(node.uuid);
    expect(first.status).toBe(200);
    const repeated = await relay.post(path, BEAT, { nonce: first.used });
    expect(repeated).toMatchObject(unsigned('The nonce was used before'));
    const { signing } = await relayKeys();
    const NOT_SIGNED = unsigned(
      'The request is not signed with the key of the node, or there is no such node',
    );
    expect(await relay.post(path, BEAT, { key: signing })).toMatchObject(NOT_SIGNED);
    for (const signature of ['', 'AAAA', 'A'.repeat(86), 'A'.repeat(88), 'no base64url!']) {
      expect(await relay.post(path, BEAT, { signature })).toMatchObject(NOT_SIGNED);
    }
    const other = { ...BEAT, version: '6.6.6' };
    expect(await relay.post(path, BEAT, { body: other })).toMatchObject(NOT_SIGNED);
    expect(await relay.post(path, BEAT, { nonce: 'zzzzzzzz.a.b' })).toMatchObject(
      unsigned('The nonce is none, or too old'),
    );
    const nowhere = `/nodes/${crypto.randomUUID()}/beat`;
    expect(await relay.post(nowhere, BEAT)).toMatchObject(
      unsigned('The nonce is none, or too old'),
    );
    expect(await relay.post(nowhere, BEAT)).toMatchObject(NOT_SIGNED);
    await relay.post(path, BEAT, { nonce: '' });
    gateway.clock.now += 5 * 60_000 + 1;
    expect(await relay.post(path, BEAT)).toMatchObject(unsigned('The nonce is none, or too old'));
    expect((await relay.post(path, BEAT)).status).toBe(200);
  });

  test.each([600_000, -600_000])(
    'of a node whose clock is off by %i ms is heard, and its repetition is not',
    async (offset) => {
      const { node, relay, list } = await enrolled();
      const told = { clock_offset_ms: offset };
      const heard = await relay.beat(node.uuid, told);
      expect(heard.status).toBe(200);
      expect((await list())[1]).toMatchObject({ status: 'available', clock_offset_ms: offset });
      const repeated = await relay.post(
        `/nodes/${node.uuid}/beat`,
        { ...BEAT, ...told },
        { nonce: heard.used },
      );
      expect(repeated).toMatchObject(unsigned('The nonce was used before'));
      expect((await relay.beat(node.uuid, told)).status).toBe(200);
    },
  );

  test('is refused when its node has used up all nonces for now, of that node alone', async () => {
    const { gateway, node, relay } = await enrolled();
    expect((await relay.beat(node.uuid)).status).toBe(200);
    const object = nodeObject(gateway.bindings, {
      orgUuid: gateway.organization.uuid,
      uuid: node.uuid,
    });
    const expires = NOW + 300_000;
    await runInDurableObject(object, async (own: RelayNode) => {
      for (let at = 1; at < NONCES_MAX; at += 1) {
        await own.admit(`nonce-${at}`, expires, NOW, relay.instance);
      }
    });
    expect(await relay.post(`/nodes/${node.uuid}/beat`, BEAT)).toEqual({
      status: 429,
      used: expect.any(String),
      body: failure(
        'RATE_LIMITED',
        'The node has signed too many requests in five minutes: try again later',
      ),
    });
    const other = await enrolled();
    expect((await other.relay.beat(other.node.uuid)).status).toBe(200);
  });

  test('of a second process takes over from one that does not answer, and ends it', async () => {
    const { gateway, node, keys, relay } = await enrolled();
    expect((await relay.beat(node.uuid)).status).toBe(200);
    const second = relayProcess(gateway, keys);
    expect((await second.beat(node.uuid)).status).toBe(200);
    expect(await relay.beat(node.uuid)).toMatchObject({
      status: 409,
      body: failure(
        'NODE_RUNNING',
        'Another process with the key of this node has taken its place',
      ),
    });
    expect((await second.beat(node.uuid)).status).toBe(200);
  });
});
