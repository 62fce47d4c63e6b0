/** The keys of the relay next to the gateway, in a file that it reads again when they change. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { calculateJwkThumbprint } from 'jose';
import type { DataFolder } from './data-folder.ts';
import { Failure } from './failure.ts';
import { publicHalf } from './key-pairs.ts';
import type { Keys } from './keys.ts';

/** Milliseconds in which each process of the relay has read them. */
const TAKEN_MAX_MS = 30_000;
const LOOK_MS = 100;

/** The relay's setting `RELAY_KEYS_FILE`. */
export function relayKeysFile({ path }: DataFolder): string {
  return join(path, 'keys/relay.env');
}

/** Writes them in one step, for their owner alone. */
export async function writeRelayKeys(folder: DataFolder, keys: Keys): Promise<void> {
  const { RELAY_NODE_KEY, previous } = keys;
  const lines = {
    RELAY_NODE_KEY,
    ...(previous.RELAY_NODE_KEY && { RELAY_NODE_KEY_PREVIOUS: previous.RELAY_NODE_KEY }),
    GATEWAY_PUBLIC_KEY: `[${gatewayKeys(keys).join()}]`,
  };
  const text = Object.entries(lines).map(([name, value]) => `${name}='${value}'\n`);
  const file = relayKeysFile(folder);
  await writeFile(`${file}.new`, text.join(''), { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}

/** Public halves, the current one first: what `GATEWAY_PUBLIC_KEY` of a relay is while a key changes. */
export function gatewayKeys({ GATEWAY_KEY, previous }: Pick<Keys, 'GATEWAY_KEY' | 'previous'>) {
  return [GATEWAY_KEY, previous.GATEWAY_KEY].flatMap((key) =>
    key ? [publicHalf('GATEWAY_KEY', key)] : [],
  );
}

/**
 * Waits until each process of the relay uses the keys: its metrics say so.
 * @throws Failure when they do not
 */
export async function relayHasKeys(port: number, keys: Keys, token: string): Promise<void> {
  const node = publicHalf('RELAY_NODE_KEY', keys.RELAY_NODE_KEY);
  const wanted = [
    `relay_keys{use="node",id="${await thumbprint(node)}"}`,
    ...(await Promise.all(
      gatewayKeys(keys).map(
        async (key) => `relay_keys{use="gateway",id="${await thumbprint(key)}"}`,
      ),
    )),
  ];
  const until = Date.now() + TAKEN_MAX_MS;
  while (Date.now() < until) {
    const text = await metricsOf(port, token);
    const parts = figureOf(text, 'relay_parts');
    if (parts !== undefined && wanted.every((name) => figureOf(text, name) === parts)) return;
    await sleep(LOOK_MS);
  }
  throw new Failure('The relay does not use the changed keys; its log says why.');
}

async function metricsOf(port: number, token: string): Promise<string> {
  const headers = { Authorization: `Bearer ${token}` };
  const reply = await fetch(`http://127.0.0.1:${port}/metrics`, { headers }).catch(() => undefined);
  return reply?.ok ? await reply.text() : '';
}

function figureOf(metrics: string, name: string): string | undefined {
  return metrics
    .split('\n')
    .find((line) => line.startsWith(`${name} `))
    ?.slice(name.length + 1);
}

function thumbprint(key: string): Promise<string> {
  const { kty, crv, x, y } = JSON.parse(key);
  return calculateJwkThumbprint({ kty, crv, x, ...(y !== undefined && { y }) });
}
