/** A relay that runs alone, as a person starts one, with the keys of a gateway. */
import { newPrivateKey, publicHalf } from '../server/key-pairs.ts';
import { type Ended, type Output, runScript } from './gateway.ts';

const READY_MAX_MS = 60_000;

/** A running relay. */
export interface RelayAlone {
  readonly port: number;
  /** Settings of a gateway whose default relay it is, except for `RELAY_URL`. */
  readonly gateway: { readonly GATEWAY_KEY: string; readonly RELAY_NODE_PUBLIC_KEY: string };
  readonly output: Output;
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Keys of a gateway and a relay as settings. */
interface RelayKeys {
  readonly GATEWAY_KEY: string;
  readonly RELAY_NODE_KEY: string;
}

/** New keys. */
export async function newRelayKeys(): Promise<RelayKeys> {
  const [GATEWAY_KEY, RELAY_NODE_KEY] = await Promise.all([
    newPrivateKey('GATEWAY_KEY'),
    newPrivateKey('RELAY_NODE_KEY'),
  ]);
  return { GATEWAY_KEY, RELAY_NODE_KEY };
}

/**
 * Starts one on a free port of loopback, and waits until it is ready. It may reach every address.
 * @throws Error with what it wrote when it ends before that
 */
export async function startRelayAlone(
  env: Readonly<Record<string, string>> = {},
  keys?: RelayKeys,
): Promise<RelayAlone> {
  const { GATEWAY_KEY, RELAY_NODE_KEY } = keys ?? (await newRelayKeys());
  const relay = runScript('node-relay/main.ts', ['--port', '0'], {
    RELAY_ALLOW: '*',
    RELAY_STAND_INS: '0',
    RELAY_NODE_KEY,
    GATEWAY_PUBLIC_KEY: publicHalf('GATEWAY_KEY', GATEWAY_KEY),
    LOG_FORMAT: 'json',
    ...env,
  });
  const until = Date.now() + READY_MAX_MS;
  for (;;) {
    const ready = relay.output
      .stdout()
      .split('\n')
      .find((line) => line.includes('"relay ready"'));
    if (ready !== undefined) {
      return {
        port: JSON.parse(ready).port,
        gateway: {
          GATEWAY_KEY,
          RELAY_NODE_PUBLIC_KEY: publicHalf('RELAY_NODE_KEY', RELAY_NODE_KEY),
        },
        output: relay.output,
        async stop(signal = 'SIGTERM') {
          relay.process.kill(signal);
          return relay.ended;
        },
      };
    }
    if (relay.process.exitCode !== null || Date.now() > until) {
      relay.process.kill('SIGKILL');
      throw new Error(`The relay did not start: ${relay.output.stderr()}${relay.output.stdout()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
