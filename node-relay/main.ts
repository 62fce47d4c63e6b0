/** Entry point of the relay: settings, the parts and the port before them, and the stop on SIGTERM or SIGINT. */
import { GatewayError } from '../proto/errors.ts';
import { type Config, configOf, type Flags, HELP, logOptionsOf, readFlags } from './config.ts';
import { withKeysFile } from './keys-file.ts';
import { listen, serverFor } from './listen.ts';
import { createLog, describeFault, exitAfterLines, type Log } from './log.ts';
import { Beats } from './node/beats.ts';
import { environmentOf } from './node/environment.ts';
import { join, type Membership } from './node/join.ts';
import { routeTo } from './parts/router.ts';
import { makeSocketFolder } from './parts/socket-folder.ts';
import { Supervisor } from './parts/supervisor.ts';
import { programVersion } from './version.ts';

async function main(): Promise<void> {
  const flags = readFlags(process.argv.slice(2));
  if (flags.help === true) {
    console.log(HELP);
    return;
  }
  const log = createLog(logOptionsOf(flags, process.env));
  const member = await join(flags, withKeysFile(process.env), log);
  const environment = settingsOf(flags, member);
  const config = configOf(flags, environment);
  dieLoudly(log);
  const version = programVersion();
  const { port, supervisor } = await start(config, environment, log);
  const beats = member && beatsOf(member, supervisor, log);
  let isLeaving = false;
  const stop = (signal: NodeJS.Signals): void => {
    // A terminal and the npm between send the signal once each.
    if (supervisor.draining || isLeaving) return;
    isLeaving = true;
    const end = async (): Promise<void> => {
      await beats?.stop();
      log.info({ signal }, 'relay draining');
      await supervisor.stop();
      log.info('relay stopped');
      exitAfterLines(log, 0);
    };
    end().catch(fatal(log));
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  try {
    await supervisor.start();
  } catch (cause) {
    // What ends because it was told to has not failed.
    if (!supervisor.draining) throw cause;
  }
  if (supervisor.draining) return;
  const { node } = supervisor;
  beats?.start();
  log.info({ host: config.host, port, node, version, parts: config.parts }, 'relay ready');
  log.flush();
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

/** The beats of a node; where the gateway takes another process for it, this one ends. */
function beatsOf(membership: Membership, supervisor: Supervisor, log: Log): Beats {
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
    refused(why) {
      log.error({ why }, 'the gateway refuses this process of the node; it ends');
      void supervisor.stop().then(() => exitAfterLines(log, 1), fatal(log));
    },
  });
}

/** Listens first: the parts must know which port is never a backend. */
async function start(config: Config, environment: NodeJS.ProcessEnv, log: Log) {
  // Nothing is awaited between listening and the route: a request that comes at once needs it.
  const sockets = config.socketFolder ?? (await ownFolder());
  const server = serverFor(config, (request, response) => route(request, response));
  const port = await listen(server, config);
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
  const route = routeTo(supervisor);
  return { port, supervisor };
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
