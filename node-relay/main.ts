/** Entry point of the relay: settings, the parts, the port or the tunnels before them, and the stop on SIGTERM or SIGINT. */
import { setGlobalProxyFromEnv } from 'node:http';
import { GatewayError } from '../proto/errors.ts';
import { type Config, configOf, type Flags, HELP, logOptionsOf, readFlags } from './config.ts';
import { withKeysFile } from './keys-file.ts';
import { listen, serverFor } from './listen.ts';
import { createLog, describeFault, exitAfterLines, type Log } from './log.ts';
import { Beats } from './node/beats.ts';
import { environmentOf } from './node/environment.ts';
import { writePartKeys } from './node/files.ts';
import { join, type Membership } from './node/join.ts';
import { watchEnrolment } from './node/renewal.ts';
import { healthOf, routeTo, socketFor } from './parts/router.ts';
import { makeSocketFolder } from './parts/socket-folder.ts';
import { Supervisor } from './parts/supervisor.ts';
import type { Tunnels, TunnelsOptions } from './tunnel/tunnels.ts';
import { programVersion } from './version.ts';

async function main(): Promise<void> {
  const flags = readFlags(process.argv.slice(2));
  if (flags.help === true) {
    console.log(HELP);
    return;
  }
  // For what goes to the gateway: parts are processes of their own, and dial backends by themselves.
  setGlobalProxyFromEnv();
  const log = createLog(logOptionsOf(flags, process.env));
  const member = await join(flags, withKeysFile(process.env), log);
  if (member?.files) await writePartKeys(member.files, member.keys);
  const environment = settingsOf(flags, member);
  const config = configOf(flags, environment);
  dieLoudly(log);
  const relay = await start({ config, environment, log, member });
  const { supervisor } = relay;
  let isLeaving = false;
  const leave = (signal: NodeJS.Signals): void => {
    // A terminal and the npm between send the signal once each.
    if (supervisor.draining || isLeaving) return;
    isLeaving = true;
    stop(relay, log, signal).catch(fatal(log));
  };
  process.on('SIGTERM', leave).on('SIGINT', leave);
  try {
    await supervisor.start();
  } catch (cause) {
    // What ends because it was told to has not failed.
    if (!supervisor.draining) throw cause;
  }
  if (supervisor.draining) return;
  if (member?.files) watchEnrolment({ member, files: member.files, log });
  // A node that beats is taken to be there for calls: behind a tunnel it is once one is open.
  void relay.tunnels?.start().then(() => relay.beats?.start());
  if (relay.tunnels === undefined) relay.beats?.start();
  const { host, parts } = config;
  const place = relay.tunnels ? { transport: 'tunnel' } : { host, port: relay.port };
  log.info({ ...place, node: supervisor.node, version: programVersion(), parts }, 'relay ready');
  log.flush();
}

/** A relay that runs. */
interface RunningRelay {
  /** 0 where it listens on none. */
  readonly port: number;
  readonly supervisor: Supervisor;
  readonly beats: Beats | undefined;
  readonly tunnels: Tunnels | undefined;
}

/** Says that it leaves, finishes what is in flight, and ends. */
async function stop(
  { supervisor, beats, tunnels }: RunningRelay,
  log: Log,
  signal: NodeJS.Signals,
): Promise<void> {
  await beats?.stop();
  log.info({ signal }, 'relay draining');
  tunnels?.leave();
  await supervisor.stop();
  await tunnels?.stop();
  log.info('relay stopped');
  exitAfterLines(log, 0);
}

/** The settings of all processes of the relay: flags among them, and which node it is. */
function settingsOf(flags: Flags, member: Membership | undefined): NodeJS.ProcessEnv {
  const given = {
    RELAY_PORT: flags.port,
    RELAY_HOST: flags.host,
    GATEWAY_URL: flags.gateway,
    LOG_FORMAT: flags.log,
  };
  const own = member ? environmentOf(process.env, member) : process.env;
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...own, ...Object.fromEntries(set) };
}

/** What a relay is started from. */
interface Start {
  readonly config: Config;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly member: Membership | undefined;
}

async function start({ config, environment, log, member }: Start): Promise<RunningRelay> {
  const sockets = config.socketFolder ?? (await ownFolder());
  const isDirect = member?.transport !== 'tunnel';
  // Listens first: the parts must know which port is never a backend. Nothing is awaited between
  // listening and the route: a request that comes at once needs it.
  const server = serverFor(config, (request, response) => route(request, response));
  const port = isDirect ? await listen(server, config) : 0;
  const supervisor = new Supervisor({
    args: [],
    environment,
    startedMs: Date.now(),
    ownPort: port,
    memoryBytes: config.partMemoryBytes,
    log,
    parts: config.parts,
    standIns: config.standIns,
    sockets,
    drainMs: config.drainMs,
  });
  const route = routeTo(supervisor, config);
  /** Where the gateway takes another process for the node, this one ends. */
  const refused = (why: string): void => {
    if (supervisor.draining) return;
    log.error({ why }, 'the gateway refuses this process of the node; it ends');
    void supervisor.stop().then(() => exitAfterLines(log, 1), fatal(log));
  };
  const beats = member && beatsOf({ membership: member, supervisor, log, refused });
  const health = () => healthOf(supervisor, config);
  const tunnels = isDirect
    ? undefined
    : await tunnelsOf({ member, supervisor, log, refused, health });
  return { port, supervisor, beats, tunnels };
}

interface OfNode {
  readonly supervisor: Supervisor;
  readonly log: Log;
  refused(why: string): void;
}

/** The beats of a node. */
function beatsOf({
  membership,
  supervisor,
  log,
  refused,
}: OfNode & { readonly membership: Membership }): Beats {
  return new Beats({
    membership,
    log,
    load() {
      const { callsInFlight: calls, connections } = supervisor.figures;
      return { calls, connections };
    },
    heard({ clockOffsetMs, gatewayKeys }) {
      // Keys that the operator has set are not for the gateway to replace.
      const keys = process.env.GATEWAY_PUBLIC_KEY ? {} : { gatewayKeys };
      supervisor.tellHeard({ clockOffsetMs, ...keys });
    },
    refused,
  });
}

/** The tunnels of a node; the library for them is loaded for no other relay. */
async function tunnelsOf({
  member,
  supervisor,
  log,
  refused,
  health,
}: OfNode & { readonly member: Membership } & Pick<TunnelsOptions, 'health'>): Promise<Tunnels> {
  const { Tunnels } = await import('./tunnel/tunnels.ts');
  return new Tunnels({
    log,
    credentials: member.gateway,
    node: member.uuid,
    health,
    socketFor: (path, headers) => socketFor(supervisor, path, { headers }),
    refused: ({ message }) => refused(message),
  });
}

async function ownFolder(): Promise<string> {
  const folder = await makeSocketFolder();
  process.on('exit', folder.remove);
  return folder.path;
}

/** The runtime would print the error with its text, which may hold a connection URL. */
function dieLoudly(log: Log): void {
  process.on('uncaughtException', fatal(log)).on('unhandledRejection', fatal(log));
}

function fatal(log: Log): (cause: unknown) => void {
  return (cause) => {
    log.fatal({ fault: describeFault(cause) }, 'relay failed');
    exitAfterLines(log, 1);
  };
}

main().catch((cause: unknown) => {
  console.error(cause instanceof GatewayError ? cause.message : 'The relay could not start');
  process.exit(1);
});
