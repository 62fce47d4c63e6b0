/** Entry point of the relay: settings, the parts and the port before them, and the stop on SIGTERM or SIGINT. */
import { GatewayError } from '../proto/errors.ts';
import { type Config, HELP, readConfig } from './config.ts';
import { listen, serverFor } from './listen.ts';
import { createLog, describeFault, exitAfterLines, type Log } from './log.ts';
import { routeTo } from './parts/router.ts';
import { makeSocketFolder } from './parts/socket-folder.ts';
import { Supervisor } from './parts/supervisor.ts';
import { programVersion } from './version.ts';

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const config = readConfig(args, process.env);
  if (config === undefined) {
    console.log(HELP);
    return;
  }
  const log = createLog(config);
  dieLoudly(log);
  const version = programVersion();
  const { port, supervisor } = await start(config, args, log);
  const stop = (signal: NodeJS.Signals): void => {
    // A terminal and the npm between send the signal once each.
    if (supervisor.draining) return;
    log.info({ signal }, 'relay draining');
    supervisor.stop().then(() => {
      log.info('relay stopped');
      exitAfterLines(log, 0);
    }, fatal(log));
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
  log.info({ host: config.host, port, node, version, parts: config.parts }, 'relay ready');
  log.flush();
}

/** Listens first: the parts must know which port is never a backend. */
async function start(config: Config, args: readonly string[], log: Log) {
  // Nothing is awaited between listening and the route: a request that comes at once needs it.
  const sockets = config.socketFolder ?? (await ownFolder());
  const server = serverFor(config, (request, response) => route(request, response));
  const port = await listen(server, config);
  const supervisor = new Supervisor({
    args,
    environment: process.env,
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
