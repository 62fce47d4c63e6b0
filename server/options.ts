/** Flags and environment of `npm start`: read once, checked, with their defaults. */
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type LogFormat, readLogFormat } from '../node-relay/log-format.ts';
import { flagFault } from '../proto/flags.ts';
import { Failure } from './failure.ts';
import { canSharePort } from './runtime.ts';

/** What `npm start` was asked for. Contract §11. */
export interface Options {
  /** 0 is any free port; so for the relay's. */
  readonly port: number;
  readonly relayPort: number;
  readonly host: string;
  /** Path of the data folder, relative to the working directory or absolute. */
  readonly data: string;
  readonly demo: boolean;
  /** Edge runtimes that share the port. */
  readonly workers: number;
  readonly help: boolean;
  /** Seconds that a stop waits for what is in flight. */
  readonly drainS: number;
  /** IP address of the proxy whose `X-Forwarded-For` is believed. */
  readonly trustedProxy: string | undefined;
  /** Of all lines on stderr. */
  readonly logFormat: LogFormat;
}

const DRAIN_DEFAULT_S = 30;
const DRAIN_MAX_S = 3_600;
const WORKERS_MAX = 64;

const FLAGS = {
  port: { type: 'string' },
  'relay-port': { type: 'string' },
  host: { type: 'string' },
  data: { type: 'string' },
  demo: { type: 'boolean' },
  workers: { type: 'string' },
  log: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** A flag's name in the environment: `--relay-port` is `RELAY_PORT`. */
const environmentName = (flag: string) => flag.replaceAll('-', '_').toUpperCase();

/**
 * A flag wins over the environment, and that over the default; an empty variable is not set.
 * @throws Failure when a flag is unknown or a value cannot be used
 */
export function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv): Options {
  const flags = parseFlags(args);
  const given = (flag: 'port' | 'relay-port' | 'host' | 'data' | 'workers', fallback: string) =>
    flags[flag] ?? (environment[environmentName(flag)] || fallback);
  return {
    port: portOf('port', given('port', '8787')),
    relayPort: portOf('relay-port', given('relay-port', '8788')),
    host: hostOf(given('host', '127.0.0.1')),
    data: given('data', '.causeway'),
    workers: workersOf(given('workers', '')),
    demo: flags.demo ?? demoOf(environment.DEMO ?? ''),
    help: flags.help ?? false,
    drainS: drainOf(environment.DRAIN_S ?? ''),
    trustedProxy: proxyOf(environment.TRUSTED_PROXY ?? ''),
    logFormat: formatOf(flags.log ?? environment.LOG_FORMAT),
  };
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS }).values;
  } catch (thrown) {
    throw new Failure(`${flagFault(thrown, Object.keys(FLAGS))}.`, { cause: thrown });
  }
}

function portOf(flag: string, text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new Failure(`--${flag} takes a number from 0 to 65535, not '${text}'.`);
  }
  return port;
}

function hostOf(text: string): string {
  if (isIP(text) === 0 && text !== 'localhost') {
    throw new Failure(`--host takes an IP address of this machine or localhost, not '${text}'.`);
  }
  return text === 'localhost' ? '127.0.0.1' : text;
}

/** All cores but one, which relay and databases have; where runtimes cannot share a port, one. */
function workersOf(text: string): number {
  if (text === '') return canSharePort() ? Math.min(defaultWorkers(), WORKERS_MAX) : 1;
  const count = Number(text);
  if (!/^\d{1,2}$/.test(text) || count < 1 || count > WORKERS_MAX) {
    throw new Failure(`--workers takes a number from 1 to ${WORKERS_MAX}, not '${text}'.`);
  }
  if (count > 1 && !canSharePort()) {
    throw new Failure(
      '--workers needs Linux with setpriv and Perl for more than one; leave it out.',
    );
  }
  return count;
}

function defaultWorkers(): number {
  return Math.max(1, availableParallelism() - 1);
}

function demoOf(text: string): boolean {
  if (text === '' || text === 'false') return false;
  if (text === 'true') return true;
  throw new Failure(`DEMO takes true or false, not '${text}'.`);
}

function drainOf(text: string): number {
  if (text === '') return DRAIN_DEFAULT_S;
  const seconds = Number(text);
  if (!/^\d{1,4}$/.test(text) || seconds > DRAIN_MAX_S) {
    throw new Failure(`DRAIN_S takes a number of seconds from 0 to ${DRAIN_MAX_S}, not '${text}'.`);
  }
  return seconds;
}

function formatOf(text: string | undefined): LogFormat {
  try {
    return readLogFormat(text, process.stderr.isTTY);
  } catch (thrown) {
    if (thrown instanceof Error) throw new Failure(`${thrown.message}.`, { cause: thrown });
    throw thrown;
  }
}

function proxyOf(text: string): string | undefined {
  if (text === '') return undefined;
  if (isIP(text) === 0) throw new Failure(`TRUSTED_PROXY takes an IP address, not '${text}'.`);
  return text;
}

/** 127.0.0.0/8 and ::1: only this machine reaches it. */
export function isLoopback(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}
