/** `npm start`: the gateway in the real edge runtime with a relay next to it, on this machine. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { socketIn } from '../node-relay/parts/places.ts';
import { makeSocketFolder } from '../node-relay/parts/socket-folder.ts';
import { openDataFolder, secretIn } from './data-folder.ts';
import type { DemoDatabase } from './demo.ts';
import type { Edge } from './edge.ts';
import type { EdgeOptions } from './edge-options.ts';
import { Failure, runScript } from './failure.ts';
import { FIRST_PASSWORD } from './first-organization.ts';
import { greeting } from './greeting.ts';
import { startHasher } from './hasher-process.ts';
import { listenForJson } from './json-process.ts';
import { followKeys } from './key-changes.ts';
import { publicHalf } from './key-pairs.ts';
import { lockDataFolder } from './lock.ts';
import { log, logAs } from './log.ts';
import { openings } from './openings.ts';
import { readOptions } from './options.ts';
import { listeningPorts, ownPortsFile, tellOwnPorts } from './own-ports.ts';
import { planOf, relayEnvironment, type StartPlan, urlHost } from './plan.ts';
import { freePort } from './ports.ts';
import { unusedSettings } from './relay-elsewhere.ts';
import { startRelay } from './relay-process.ts';
import { HELP } from './settings.ts';
import { Shutdown, stopOnSignals } from './shutdown.ts';

const READY_MAX_MS = 20_000;
/** Milliseconds in which the last line of a stream reaches its client. */
const LAST_LINE_MS = 1_500;

await runScript(main);

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  logAs(options.logFormat);
  const isNew = !existsSync(options.data);
  const folder = await openDataFolder(options.data);
  lockDataFolder(folder);
  const plan = await planOf(options, folder).catch(async (refused: unknown) => {
    // Nothing has run, and nobody else may use it: a refused start leaves no keys behind.
    if (isNew) await rm(folder.path, { recursive: true, force: true });
    throw refused;
  });
  for (const opening of openings(plan)) log('warn', opening);
  const unused = plan.elsewhere === undefined ? [] : unusedSettings(process.env);
  if (unused.length > 0) {
    log('warn', `RELAY_URL is set, so no relay runs here: ${unused.join(', ')} have no effect.`);
  }
  const shutdown = new Shutdown();
  stopOnSignals(shutdown, options.drainS * 1000);
  try {
    const printed = await start(plan, shutdown);
    if (!shutdown.begun) process.stdout.write(printed);
  } catch (thrown) {
    const stopped = shutdown.begun;
    await shutdown.stop();
    // An error of what was told to stop is no failure.
    if (!stopped) throw thrown;
  }
}

async function start(plan: StartPlan, shutdown: Shutdown): Promise<string> {
  const { options, folder, port } = plan;
  const { path: sockets, remove } = await makeSocketFolder();
  await shutdown.add(async () => remove());
  const [database, runtime] = await Promise.all([
    startBackends(plan, sockets, shutdown),
    startRuntime(plan, sockets, shutdown),
  ]);
  const relayPorts = plan.elsewhere === undefined ? [plan.relayPort] : [];
  await tellOwnPorts(folder, [port, ...relayPorts, ...runtime.ports, ...listeningPorts()]);
  // From here on the worker takes requests.
  if (plan.mode === 'front') await startFrontBefore(runtime, plan, shutdown);
  const gateway = `http://${reachableHost(options.host)}:${port}`;
  await answers(gateway);
  const unfollow = await followKeys(plan, runtime.edge);
  await shutdown.addDoor(async () => unfollow());
  const { NEW_ORG_TOKEN: newOrgToken } = plan.bindings;
  const { setUpDemo } = options.demo ? await import('./demo.ts') : {};
  if (database) await setUpDemo?.(gateway, folder, database, newOrgToken);
  return greeting({
    gateway,
    dataFolder: folder.path,
    relay: plan.elsewhere?.url ?? `127.0.0.1:${plan.relayPort}`,
    database: database && new URL(database.url).host,
    relayKey: plan.elsewhere && publicHalf('GATEWAY_KEY', plan.keys.GATEWAY_KEY),
    password: await secretIn(folder, FIRST_PASSWORD),
    newOrgToken: newOrgToken !== undefined,
    demo: database !== undefined,
  });
}

/** The demo's database, and next to it the relay that is allowed to reach it, unless that runs elsewhere. */
async function startBackends(
  plan: StartPlan,
  sockets: string,
  shutdown: Shutdown,
): Promise<DemoDatabase | undefined> {
  const demo = plan.options.demo ? await import('./demo.ts') : undefined;
  const port = await demo?.demoPort(plan.folder);
  const startDatabase = async () => {
    if (demo === undefined || port === undefined) return undefined;
    const database = await demo.startDemoDatabase(plan.folder, port);
    await shutdown.add(() => database.server.stop());
    return database;
  };
  const starting = startDatabase();
  const startRelayHere = async () => {
    if (plan.elsewhere !== undefined) return;
    const address = port === undefined ? undefined : demo?.demoAddress(port);
    const environment = { ...relayEnvironment(plan, address), RELAY_SOCKETS: sockets };
    const relay = await startRelay(plan.relayPort, environment);
    // Started last, ended first: the relay closes its connections before the database ends.
    await starting.catch(() => {});
    await shutdown.add(() => relay.stop());
  };
  const [database] = await Promise.all([starting, startRelayHere()]);
  return plan.elsewhere === undefined ? database : undefined;
}

/** Where the runtime takes requests, and all ports that it has. */
interface RunningRuntime {
  readonly edge: Edge;
  readonly port: number;
  readonly ports: readonly number[];
}

async function startRuntime(
  plan: StartPlan,
  sockets: string,
  shutdown: Shutdown,
): Promise<RunningRuntime> {
  const { options, folder, port, mode } = plan;
  // Loaded while the relay starts: it is the largest module by far.
  const [{ startEdges }, hasher] = await Promise.all([import('./edges.ts'), startHasher()]);
  await shutdown.add(() => hasher.stop());
  const jsonWorker = join(sockets, 'json.sock');
  const json = await listenForJson(jsonWorker);
  await shutdown.add(() => json.stop());
  const socket =
    mode === 'front'
      ? { host: '127.0.0.1', port: await freePort('127.0.0.1') }
      : { host: options.host, port };
  const edgeOptions: EdgeOptions = {
    ...socket,
    state: folder.state,
    cache: `${folder.path}/cache`,
    own: ownPortsFile(folder),
    bindings: plan.bindings,
    relay: plan.elsewhere?.tls ?? `127.0.0.1:${plan.relayPort}`,
    hasher: hasher.socket,
    jsonWorker,
    relayParts: Array.from(
      { length: plan.elsewhere === undefined ? plan.relayParts : 0 },
      (_, index) => socketIn(sockets, String(index)),
    ),
  };
  const edge = await startEdges(edgeOptions, options.workers, sockets);
  await shutdown.addDoor(() => edge.dispose(options.drainS * 1000));
  return { edge, port: socket.port, ports: [socket.port, ...edge.innerPorts] };
}

async function startFrontBefore(
  { edge, port: upstreamPort }: RunningRuntime,
  { options, port, secret }: StartPlan,
  shutdown: Shutdown,
): Promise<void> {
  const { trustedProxy, host, drainS } = options;
  const { startFront } = await import('./front.ts');
  const front = await startFront({ host, port, upstreamPort, trustedProxy, secret });
  await shutdown.addDoor(async () => {
    await edge.announceStop(drainS * 1000);
    // The worker ends what lasts after that time, and its last line has yet to pass.
    await front.stop(drainS * 1000 + LAST_LINE_MS);
  });
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

/** When it is bound to every address, this machine reaches it on loopback. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '[::1]' : urlHost(host);
}
