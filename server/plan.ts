/** What a start needs to know before anything runs: ports, keys, and the settings of worker and relay. */
import { readPartSettings } from '../node-relay/part-settings.ts';
import { settingsOf } from '../worker/settings.ts';
import type { DataFolder } from './data-folder.ts';
import { Failure } from './failure.ts';
import { publicHalf } from './key-pairs.ts';
import { type Keys, readKeys, withKeysFile } from './keys.ts';
import { isLoopback, type Options } from './options.ts';
import { forgetOwnPorts, ownPortsFile } from './own-ports.ts';
import { frontSecret, type PeerMode, peerMode, peerSetting } from './peer.ts';
import { freePort } from './ports.ts';
import { type RelayElsewhere, readRelayElsewhere } from './relay-elsewhere.ts';
import { relayKeysFile, writeRelayKeys } from './relay-keys.ts';
import { WORKER_SETTINGS } from './settings.ts';

/** Everything that can be wrong with what was asked for is known once there is a plan. */
export interface StartPlan {
  readonly options: Options;
  readonly folder: DataFolder;
  readonly keys: Keys;
  readonly port: number;
  /** Where our own relay listens. */
  readonly relayPort: number;
  /** Processes of our own relay that share the calls. */
  readonly relayParts: number;
  /** The relay instead of our own, which then does not run. */
  readonly elsewhere: RelayElsewhere | undefined;
  readonly mode: PeerMode;
  readonly secret: string;
  /** What the worker is given. */
  readonly bindings: Readonly<Record<string, string>>;
}

/**
 * Reads keys and settings, and finds the ports.
 * @throws Failure when a port is taken, or a key or a setting cannot be used
 */
export async function planOf(options: Options, folder: DataFolder): Promise<StartPlan> {
  const environment = withKeysFile(process.env);
  const elsewhere = readRelayElsewhere(environment);
  if (elsewhere !== undefined && options.demo) {
    throw new Failure('--demo needs a relay on this machine; leave RELAY_URL out.');
  }
  const [port, relayPort] = await Promise.all([
    freePort(options.host, options.port),
    elsewhere === undefined ? freePort('127.0.0.1', options.relayPort, '--relay-port') : 0,
  ]);
  // Not beside: a start that is refused removes a folder of its own making, in which nothing may be written then.
  const keys = await readKeys(folder, environment, elsewhere === undefined);
  if (port === relayPort) throw new Failure('--port and --relay-port take two different ports.');
  const mode = peerMode(options.host, options.trustedProxy);
  const secret = frontSecret();
  // Behind a proxy, where clients reach it is the proxy's address.
  const isLocal = isLoopback(options.host) && options.trustedProxy === undefined;
  const bindings = {
    COMPRESSION: 'gzip',
    ...passedOn(environment),
    ...keyBindings(keys, elsewhere),
    RELAY_URL: elsewhere?.url ?? `http://127.0.0.1:${relayPort}`,
    PEER: peerSetting(mode, secret),
    OWN_PORTS: elsewhere === undefined ? `${port},${relayPort}` : String(port),
    LOCAL_SERVER: String(isLocal),
    ...(isLocal ? { OWN_URL: `http://${urlHost(options.host)}:${port}` } : {}),
  };
  checkSettings(bindings);
  const relayParts = checked(() => readPartSettings(process.env)).parts;
  await forgetOwnPorts(folder);
  if (elsewhere === undefined) await writeRelayKeys(folder, keys);
  return {
    ...{ options, folder, keys, port, relayPort, relayParts, elsewhere, mode, secret },
    bindings,
  };
}

/** Those of the worker's settings that change with the keys. */
export function keyBindings(
  { previous, RELAY_NODE_KEY, ...keys }: Keys,
  elsewhere: RelayElsewhere | undefined,
): Record<string, string> {
  const { JWT_SECRET = '', INSTALLATION_KEY = '', GATEWAY_KEY = '' } = previous;
  return {
    ...keys,
    JWT_SECRET_PREVIOUS: JWT_SECRET,
    INSTALLATION_KEY_PREVIOUS: INSTALLATION_KEY,
    GATEWAY_KEY_PREVIOUS: GATEWAY_KEY,
    RELAY_NODE_PUBLIC_KEY: elsewhere?.publicKey ?? publicHalf('RELAY_NODE_KEY', RELAY_NODE_KEY),
  };
}

/** Settings of the environment that the worker reads. */
function passedOn(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    WORKER_SETTINGS.flatMap(({ name }) => {
      const value = environment[name];
      return value ? [[name, value]] : [];
    }),
  );
}

export function checkSettings(bindings: Readonly<Record<string, string>>): void {
  checked(() => settingsOf(bindings));
}

function checked<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof Error) throw new Failure(`${thrown.message}.`, { cause: thrown });
    throw thrown;
  }
}

/** What the relay is told. `demo` is the `host:port` of the demo's database. */
export function relayEnvironment(plan: StartPlan, demo?: string): Record<string, string> {
  const { options, folder, port } = plan;
  return {
    RELAY_HOST: '127.0.0.1',
    RELAY_KEYS_FILE: relayKeysFile(folder),
    GATEWAY_URL: `http://${urlHost(options.host)}:${port}`,
    RELAY_ALLOW: allowed(options.host, demo),
    OWN_PORTS_FILE: ownPortsFile(folder),
    HTTP_ALLOW_PRIVATE: plan.bindings.HTTP_ALLOW_PRIVATE ?? '',
    METRICS_TOKEN: plan.bindings.METRICS_TOKEN ?? '',
    RELAY_PARTS: String(plan.relayParts),
    RELAY_PART_MEMORY_MB: process.env.RELAY_PART_MEMORY_MB ?? '',
    RELAY_STAND_INS: process.env.RELAY_STAND_INS ?? '',
    LOG_FORMAT: options.logFormat,
    OTEL_SERVICE_NAME: relayService(process.env.OTEL_SERVICE_NAME),
  };
}

/** Two programs of one name could not be told apart. */
function relayService(name: string | undefined): string {
  return name ? `${name}-relay` : '';
}

/** Contract §5, "Addresses": bound to loopback, all; elsewhere public ones, those named, and the demo's. */
export function allowed(host: string, demo: string | undefined): string {
  const named = process.env.RELAY_ALLOW || (isLoopback(host) ? '*' : '');
  return [named, demo ?? ''].filter((each) => each !== '').join(',');
}

/** An address as it is in a URL. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
