/** JSON logs on standard output, without secrets: no statement, no connection, no text that others wrote. */
import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { ERRORS, GatewayError, isErrorCode } from '../proto/errors.ts';
import { truncated } from '../proto/truncate.ts';
import { type LogFormat, painter, readable } from './log-format.ts';

export type Log = Logger;

/** Lines are gathered: one write for each cost a relay a third of its time. */
const GATHERED = { bytes: 8_192, forMs: 200 };

/** Bytes of lines that wait while they cannot be written (a full disk, a closed terminal); further lines are dropped. */
const UNWRITTEN_MAX_BYTES = 1_048_576;
/** Milliseconds that the last lines have. */
const LAST_LINES_MAX_MS = 200;

/** How a log is written. */
export interface LogOptions {
  readonly logFormat: LogFormat;
  /** Lines that matter less are left out. */
  readonly logLevel: LogLevel;
}
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * A log; lines leave in order and together, after 200 ms at the latest, without holding up the
 * caller. One that cannot be written ends nothing.
 */
export function createLog(
  { logFormat, logLevel }: LogOptions,
  stream: DestinationStream = standardOutput(),
): Log {
  return pino(
    {
      base: { program: 'relay' },
      level: logLevel,
      messageKey: 'message',
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    logFormat === 'pretty' ? forPeople(stream) : stream,
  );
}

/** Writes each line as people read it. */
function forPeople(stream: DestinationStream): DestinationStream {
  const paint = painter(process.stdout);
  const write = stream.write.bind(stream);
  stream.write = (line) => write(`${readable(line, paint)}\n`);
  return stream;
}

function standardOutput(): DestinationStream {
  const stream = destination({
    sync: false,
    minLength: GATHERED.bytes,
    periodicFlush: GATHERED.forMs,
    maxLength: UNWRITTEN_MAX_BYTES,
  });
  // Of what fails, pino handles only a broken pipe itself; all else would end the process.
  stream.on('error', () => {});
  // At an exit and after a fatal line it would try without end, and the process would stay.
  stream.flushSync = () => {};
  return stream;
}

/** Ends this process with the code once its last lines are written, or after `ms` milliseconds. */
export function exitAfterLines(log: Log, code: number, maxMs = LAST_LINES_MAX_MS): void {
  // The first may only have waited for a write that had begun before.
  log.flush(() => log.flush(() => process.exit(code)));
  setTimeout(() => process.exit(code), maxMs);
}

/** One call, as it is logged. */
export interface CallLine {
  readonly request_id: string;
  readonly method: string;
  readonly kind: string;
  /** UUID; empty where the gateway does not say. */
  readonly organization: string;
  /** Id, or UUID where the gateway does not say; empty for calls about no endpoint. */
  readonly endpoint: string;
  /** `OK` or the failure's code. */
  readonly code: string;
  readonly ms: number;
  /** What an unforeseen failure was; see `describeFault`. */
  readonly fault?: LoggedError;
}

/** Outcomes that are neither this node's fault nor a backend's: logged as `debug`. */
const USUAL = new Set([
  ...['OK', 'CONNECTION_UNKNOWN', 'SERVED_ELSEWHERE', 'CLIENT_LEFT', 'NOT_SUPPORTED'],
]);
const SERVER_ERROR = 500;

/** How much a call's line matters, by the code that it ended with. */
export function levelOf(code: string): LogLevel {
  if (code === 'INTERNAL') return 'error';
  const isRefusal = isErrorCode(code) && ERRORS[code].status < SERVER_ERROR;
  return USUAL.has(code) || isRefusal ? 'debug' : 'warn';
}

/** An error without its message, which may hold a statement or a connection URL. */
export interface LoggedError {
  readonly name: string;
  /** The system's or the backend's own code, such as `ECONNRESET`. */
  readonly code?: string;
  /** Where it was thrown. */
  readonly at?: readonly string[];
}

/** Frames of a stack that are logged. */
const FRAMES_MAX = 12;
/** Characters of one. */
const FRAME_MAX = 300;
/** Characters of a name or a code, which a backend may have sent. */
const NAME_MAX = 100;

/** What may be logged of an error. For a GatewayError, which has its own code, it is about the cause. */
export function describeFault(error: unknown): LoggedError | undefined {
  const cause = error instanceof GatewayError ? error.cause : error;
  if (cause === undefined) return undefined;
  if (!(cause instanceof Error)) return { name: typeof cause };
  const code =
    'code' in cause && typeof cause.code === 'string'
      ? { code: truncated(cause.code, NAME_MAX) }
      : {};
  const name = truncated(cause.name, NAME_MAX);
  if (error instanceof GatewayError) return { name, ...code };
  // The message is in front of the frames, and may itself have lines that look like one.
  const stack = cause.stack ?? '';
  const frames = stack.slice(stack.indexOf(cause.message) + cause.message.length);
  const at = frames
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, FRAMES_MAX)
    .map((line) => truncated(line.trim(), FRAME_MAX));
  return { name, ...code, at };
}
