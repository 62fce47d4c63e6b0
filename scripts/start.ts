/** `npm start`: the gateway in the real edge runtime with a relay beside it, on this machine. */
import { setTimeout as sleep } from 'node:timers/promises';
import { settingsOf } from '../worker/settings.ts';
import { type DataFolder, openDataFolder, secretIn } from './data-folder.ts';
import { type DemoDatabase, setUpDemo, startDemoDatabase } from './demo.ts';
import { Failure, runScript } from './failure.ts';
import { frontSecret, startFront } from './front.ts';
import { greeting } from './greeting.ts';
import { type Keys, publicHalf, readKeys } from './keys.ts';
import { isLoopback, type Options, readOptions } from './options.ts';
import { type PeerMode, peerMode, peerSetting } from './peer.ts';
import { freePort } from './ports.ts';
import { startRelay } from './relay-process.ts';
import { HELP, WORKER_SETTINGS } from './settings.ts';
import { Shutdown, stopOnSignals } from './shutdown.ts';

const READY_MAX_MS = 20_000;

await runScript(main);

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  const folder = await openDataFolder(options.data);
  const plan = await planOf(options, folder);
  const shutdown = new Shutdown();
  stopOnSignals(shutdown);
  try {
    const printed = await start(plan, shutdown);
    if (!shutdown.begun) process.stdout.write(printed);
  } catch (thrown) {
    const stopped = shutdown.begun;
    await shutdown.stop();
    // What fails because it was told to stop has not failed.
    if (!stopped) throw thrown;
  }
}

/** Everything that can be wrong with what was asked for is known once there is a plan. */
interface Plan {
  readonly options: Options;
  readonly folder: DataFolder;
  readonly keys: Keys;
  readonly port: number;
  readonly relayPort: number;
  readonly mode: PeerMode;
  readonly secret: string;
  /** What the worker is given. */
  readonly bindings: Readonly<Record<string, string>>;
}

async function planOf(options: Options, folder: DataFolder): Promise<Plan> {
  const [port, relayPort, keys] = await Promise.all([
    freePort(options.host, options.port),
    freePort('127.0.0.1', options.relayPort, '--relay-port'),
    readKeys(folder, process.env),
  ]);
  if (port === relayPort) throw new Failure('--port and --relay-port take two different ports.');
  const mode = peerMode(options.host, options.trustedProxy);
  const secret = frontSecret();
  const bindings = {
    ...passedOn(),
    JWT_SECRET: keys.JWT_SECRET,
    INSTALLATION_KEY: keys.INSTALLATION_KEY,
    GATEWAY_KEY: keys.GATEWAY_KEY,
    RELAY_URL: `http://127.0.0.1:${relayPort}`,
    RELAY_NODE_PUBLIC_KEY: publicHalf('RELAY_NODE_KEY', keys.RELAY_NODE_KEY),
    PEER: peerSetting(mode, secret),
    LOCAL_SERVER: String(isLoopback(options.host) && options.trustedProxy === undefined),
  };
  checkSettings(bindings);
  return { options, folder, keys, port, relayPort, mode, secret, bindings };
}

/** Settings of the environment that the worker reads. */
function passedOn(): Record<string, string> {
  return Object.fromEntries(
    WORKER_SETTINGS.flatMap(({ name }) => {
      const value = process.env[name];
      return value ? [[name, value]] : [];
    }),
  );
}

function checkSettings(bindings: Readonly<Record<string, string>>): void {
  try {
    settingsOf(bindings);
  } catch (thrown) {
    if (thrown instanceof Error) throw new Failure(`${thrown.message}.`, { cause: thrown });
    throw thrown;
  }
}

async function start(plan: Plan, shutdown: Shutdown): Promise<string> {
  const { options, folder, port } = plan;
  const [database] = await Promise.all([
    startBackends(plan, shutdown),
    startGateway(plan, shutdown),
  ]);
  const gateway = `http://${reachableHost(options.host)}:${port}`;
  await answers(gateway);
  const newOrgToken = process.env.NEW_ORG_TOKEN || undefined;
  const login = database && (await setUpDemo(gateway, folder, database, newOrgToken));
  return greeting({
    gateway,
    password: await secretIn(folder, 'keys/first-password'),
    newOrgToken: newOrgToken !== undefined,
    demo: database && login && { login, databaseUrl: database.url },
  });
}

/** The demo's database, and then the relay that is allowed to reach it. */
async function startBackends(plan: Plan, shutdown: Shutdown): Promise<DemoDatabase | undefined> {
  const { options, folder, keys, port, relayPort } = plan;
  const database = options.demo ? await startDemoDatabase(folder) : undefined;
  if (database) await shutdown.add(() => database.server.stop());
  const relay = await startRelay(relayPort, {
    RELAY_HOST: '127.0.0.1',
    RELAY_NODE_KEY: keys.RELAY_NODE_KEY,
    GATEWAY_PUBLIC_KEY: publicHalf('GATEWAY_KEY', keys.GATEWAY_KEY),
    GATEWAY_URL: `http://${urlHost(options.host)}:${port}`,
    RELAY_ALLOW: allowed(options.host, database),
  });
  await shutdown.add(() => relay.stop());
  return database;
}

/** Contract §5, "Addresses": bound to loopback, all; elsewhere public ones, those named, and the demo's. */
function allowed(host: string, database: DemoDatabase | undefined): string {
  const named = process.env.RELAY_ALLOW || (isLoopback(host) ? '*' : '');
  return [named, database?.address ?? ''].filter((each) => each !== '').join(',');
}

async function startGateway(plan: Plan, shutdown: Shutdown): Promise<void> {
  const { options, folder, port, mode } = plan;
  // Loaded while the relay starts: it is the largest module by far.
  const { startEdge } = await import('./edge.ts');
  const behind = mode === 'front';
  const socket = behind
    ? { host: '127.0.0.1', port: await freePort('127.0.0.1') }
    : { host: options.host, port };
  const edge = await startEdge({
    ...socket,
    state: folder.state,
    cache: `${folder.path}/cache`,
    bindings: plan.bindings,
    relay: `127.0.0.1:${plan.relayPort}`,
  });
  await shutdown.add(() => edge.dispose());
  if (!behind) return;
  const front = await startFront({
    host: options.host,
    port,
    upstreamPort: socket.port,
    trustedProxy: options.trustedProxy,
    secret: plan.secret,
  });
  await shutdown.add(() => front.stop());
}

async function answers(gateway: string): Promise<void> {
  const until = Date.now() + READY_MAX_MS;
  while (Date.now() < until) {
    const reply = await fetch(`${gateway}/healthz`).catch(() => undefined);
    if (reply?.ok) return;
    await sleep(20);
  }
  throw new Failure(
    `The gateway did not answer within ${READY_MAX_MS / 1000} s; its log says why.`,
  );
}

/** Bound to every address, this machine reaches it on loopback. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '[::1]' : urlHost(host);
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
