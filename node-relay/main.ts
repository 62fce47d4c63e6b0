/** Entry point of the relay: settings, start, and the stop on SIGTERM or SIGINT. */
import { readFileSync } from 'node:fs';
import { GatewayError } from '../proto/errors.ts';
import { HELP, readConfig } from './config.ts';
import { drivers, loadDrivers } from './drivers/index.ts';
import { createLog, describeFault, type Log } from './log.ts';
import { startRelay } from './server.ts';

/** Milliseconds after which drivers that no call asked for are loaded. Spec silent. */
const LOAD_AFTER_MS = 2_000;

async function main(): Promise<void> {
  const config = readConfig(process.argv.slice(2), process.env);
  if (config === undefined) {
    console.log(HELP);
    return;
  }
  const log = createLog();
  dieLoudly(log);
  const version = readVersion();
  const relay = await startRelay(config, { drivers, log, version });
  let stopping = false;
  // A terminal and the npm between send the signal once each.
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'relay draining');
    relay.drain().then(() => {
      log.info('relay stopped');
      log.flush(() => process.exit(0));
    }, fatal(log));
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  log.info({ host: config.host, port: relay.port, node: relay.nodeId, version }, 'relay ready');
  log.flush();
  // Not at once: whoever started the relay is at work as well, and waits for that.
  setTimeout(() => void loadDrivers(), LOAD_AFTER_MS).unref();
}

/** The runtime would print the error with its text, which may hold a connection URL. */
function dieLoudly(log: Log): void {
  process.on('uncaughtException', fatal(log)).on('unhandledRejection', fatal(log));
}

function fatal(log: Log): (cause: unknown) => void {
  return (cause) => {
    log.fatal({ fault: describeFault(cause) }, 'relay failed');
    log.flush(() => process.exit(1));
  };
}

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string }; // Our own file.
  return version;
}

main().catch((cause: unknown) => {
  console.error(cause instanceof GatewayError ? cause.message : 'The relay could not start');
  process.exitCode = 1;
});
