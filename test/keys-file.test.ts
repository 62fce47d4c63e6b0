/** Keys in files that change while calls run, of a gateway here and its relay there: none of the calls fails. docs/operate.md */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { calculateJwkThumbprint } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeUuid } from '../proto/node-id.ts';
import { randomSecret } from '../server/data-folder.ts';
import { newPrivateKey, publicHalf } from '../server/key-pairs.ts';
import { type OwnGateway, startGateway } from './gateway.ts';
import { startKeyTraffic } from './key-traffic.ts';
import { newOrganization, type Organization } from './organization.ts';
import { type RelayAlone, startRelayAlone } from './relay-alone.ts';
import { backend } from './servers/backends.ts';

/** A file of `NAME='value'`, which changes whole. */
class KeysFile {
  readonly path: string;
  readonly #keys: Record<string, string>;

  constructor(path: string, keys: Record<string, string>) {
    this.path = path;
    this.#keys = keys;
  }

  key(name: string): string {
    return this.#keys[name] ?? '';
  }

  /** Sets these keys, and writes the file; an empty one is taken away. */
  async set(keys: Readonly<Record<string, string>>): Promise<void> {
    Object.assign(this.#keys, keys);
    const lines = Object.entries(this.#keys).filter(([, key]) => key !== '');
    const text = lines.map(([name, key]) => `${name}='${key}'\n`).join('');
    await writeFile(`${this.path}.new`, text, { mode: 0o600 });
    await rename(`${this.path}.new`, this.path);
  }

  /** The new key beside the old one. */
  begin(name: string, key: string): Promise<void> {
    return this.set({ [name]: key, [`${name}_PREVIOUS`]: this.key(name) });
  }
}

let folder: string;
let gateway: OwnGateway;
let relay: RelayAlone;
let organization: Organization;
let ofGateway: KeysFile;
let ofRelay: KeysFile;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-keys-'));
  const [gatewayKey, nodeKey] = [
    await newPrivateKey('GATEWAY_KEY'),
    await newPrivateKey('RELAY_NODE_KEY'),
  ];
  ofGateway = new KeysFile(join(folder, 'gateway.env'), {
    JWT_SECRET: randomSecret(),
    INSTALLATION_KEY: randomSecret(),
    GATEWAY_KEY: gatewayKey,
    RELAY_NODE_PUBLIC_KEY: publicHalf('RELAY_NODE_KEY', nodeKey),
  });
  ofRelay = new KeysFile(join(folder, 'relay.env'), {
    RELAY_NODE_KEY: nodeKey,
    GATEWAY_PUBLIC_KEY: publicHalf('GATEWAY_KEY', gatewayKey),
  });
  await Promise.all([ofGateway.set({}), ofRelay.set({})]);
  // The file's keys win over these.
  relay = await startRelayAlone({ RELAY_KEYS_FILE: ofRelay.path });
  gateway = await startGateway({
    env: { KEYS_FILE: ofGateway.path, RELAY_URL: `http://127.0.0.1:${relay.port}` },
  });
  organization = await newOrganization(gateway);
  const { url } = await backend('postgres');
  const config = { write_conn: { url } };
  await organization.call('POST', '/endpoints', { endpoint: 'pg', kind: 'postgres', config });
});
afterAll(async () => {
  await gateway?.stop();
  await relay?.stop();
  await rm(folder, { recursive: true });
});

/** Changes the gateway's file, and waits until it says that it uses it. */
async function gatewayTakes(change: () => Promise<void>, line = 'Keys have changed.') {
  const said = () => gateway.output.stderr().split(line).length;
  const before = said();
  await change();
  await expect.poll(said, { timeout: 20_000 }).toBeGreaterThan(before);
}

/** Changes the relay's file, and waits until each of its processes uses just these keys. */
async function relayTakes(change: () => Promise<void>, ...keys: readonly string[]) {
  await change();
  const ids = await Promise.all(keys.map((key) => calculateJwkThumbprint(publicOf(key))));
  const used = async () => {
    // biome-ignore lint/style/noRestrictedGlobals: metrics are no part of the API's description.
    const reply = await fetch(`http://127.0.0.1:${relay.port}/metrics`);
    const text = await reply.text();
    const parts = /^relay_parts (\d+)$/m.exec(text)?.[1];
    return ids.every((id) =>
      new RegExp(`^relay_keys\\{.*id="${id}".*\\} ${parts}$`, 'm').test(text),
    );
  };
  await expect.poll(used, { timeout: 20_000 }).toBe(true);
}

function publicOf(key: string) {
  const { kty, crv, x, y } = JSON.parse(key);
  return { kty, crv, x, ...(y !== undefined && { y }) };
}

/** The steps of one key; `halfway` is called while both keys are in use. */
type Steps = (halfway: () => Promise<unknown>) => Promise<void>;

const ofSecret =
  (name: string, line?: string): Steps =>
  async (halfway) => {
    await gatewayTakes(() => ofGateway.begin(name, randomSecret()), line);
    await halfway();
    await gatewayTakes(() => ofGateway.set({ [`${name}_PREVIOUS`]: '' }));
  };

const gatewayKey: Steps = async (halfway) => {
  const old = ofRelay.key('GATEWAY_PUBLIC_KEY');
  const made = await newPrivateKey('GATEWAY_KEY');
  const added = publicHalf('GATEWAY_KEY', made);
  await gatewayTakes(() => ofGateway.begin('GATEWAY_KEY', made));
  await relayTakes(() => ofRelay.set({ GATEWAY_PUBLIC_KEY: `[${added},${old}]` }), added, old);
  await halfway();
  await gatewayTakes(() => ofGateway.set({ GATEWAY_KEY_PREVIOUS: '' }));
  await relayTakes(() => ofRelay.set({ GATEWAY_PUBLIC_KEY: added }), added);
};

const nodeKey: Steps = async (halfway) => {
  const old = ofRelay.key('RELAY_NODE_KEY');
  const made = await newPrivateKey('RELAY_NODE_KEY', await nodeUuid(JSON.parse(old)));
  await relayTakes(() => ofRelay.begin('RELAY_NODE_KEY', made), made, old);
  const RELAY_NODE_PUBLIC_KEY = publicHalf('RELAY_NODE_KEY', made);
  await gatewayTakes(() => ofGateway.set({ RELAY_NODE_PUBLIC_KEY }));
  await halfway();
  await relayTakes(() => ofRelay.set({ RELAY_NODE_KEY_PREVIOUS: '' }), made);
};

test.each<[name: string, steps: Steps]>([
  ['JWT_SECRET', ofSecret('JWT_SECRET')],
  ['INSTALLATION_KEY', ofSecret('INSTALLATION_KEY', 'Data keys are sealed under the current key.')],
  ['GATEWAY_KEY', gatewayKey],
  ['RELAY_NODE_KEY', nodeKey],
])(
  '%s changes by the steps of docs/operate.md without a failed call',
  async (_name, steps) => {
    const traffic = await startKeyTraffic(organization);
    await sleep(300);
    await steps(async () => {
      await traffic.logIn();
      await sleep(500);
    });
    await sleep(500);
    const { failed, calls } = await traffic.stop();
    expect(failed).toEqual([]);
    expect(calls).toBeGreaterThan(50);
  },
  90_000,
);
