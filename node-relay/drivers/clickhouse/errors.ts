/** Maps what ClickHouse answers to the gateway's failures. Source: ClickHouse, src/Common/ErrorCodes.cpp. */
import {
  type BackendDetail,
  type ErrorCode,
  GatewayError,
  outcomeUnknown,
  refusedByBackend,
} from '../../../proto/errors.ts';

/** Characters of an error that are read: the message to the caller is shorter. */
const TEXT_MAX = 8_192;

/** An error that the server told, with its number. */
export class ServerFault extends Error {
  /** The server's number as text. */
  readonly code: string;

  constructor(code: string, text: string) {
    super(cleaned(text));
    this.code = code;
  }

  /** Of a reply whose head says that it is one: rows may come first. */
  static ofReply(code: string | undefined, text: string): ServerFault {
    const start = Math.max(0, text.search(/Code: \d{1,6}[.,]/));
    const told = text.slice(start, start + TEXT_MAX);
    return new ServerFault(code ?? numberIn(told) ?? INCOMPLETE, told);
  }

  /** Of a body that began as a result. */
  static inBody(text: string): ServerFault {
    const start = text.search(/Code: \d{1,6}[.,]/);
    const told = start < 0 ? '' : text.slice(start, start + TEXT_MAX);
    const code = numberIn(told);
    if (code === undefined) return new ServerFault(INCOMPLETE, 'The reply ended before its end');
    return new ServerFault(code, withoutFrame(told));
  }
}

/** What stands for a number where the reply was cut off: the server has none for it. */
export const INCOMPLETE = '0';

function numberIn(text: string): string | undefined {
  return /Code: (\d{1,6})/.exec(text)?.[1];
}

/** Newer servers put a frame with a tag around an error among rows. */
function withoutFrame(text: string): string {
  return text
    .replace(/\r?\n\d{0,20} ?\w{0,64}\r?\n__exception__[\s\S]*$/, '')
    .replace(/"\s*}\s*$/, '');
}

const ADDRESSES = [
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s'")]+/gi,
  /\[[0-9a-f:.]*:[0-9a-f:.]*\](?::\d{1,5})?/gi,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g,
  /\b(?:localhost|[\w-]+(?:\.[\w-]+)*\.[a-z][\w-]*):\d{1,5}\b/gi,
  // A name without dots is told from a time by its parenthesis.
  /(?<=\()[a-z][\w-]*:\d{1,5}(?=[),])/gi,
];

/** The message alone: no number, stack, version or address. */
function cleaned(text: string): string {
  const words = text
    .replace(/(?:, |\. )?Stack trace[\s\S]*$/, '')
    .replace(/, e\.what\(\) = [\s\S]*$/, '')
    .replace(/(?:Code: \d+[.,]\s*)?(?:e\.displayText\(\) = )?DB::(?:NetException|Exception): /g, '')
    .replace(/\s{0,2}\(version [^()]*(?:\([^)]*\))?\)/g, '')
    .trimEnd()
    .replace(/(?:[.\s]{0,2}\([A-Z][A-Z0-9_]+\))+\.?$/, '')
    .replace(/^default: /, '')
    .trim()
    .slice(0, 4_000);
  return ADDRESSES.reduce((told, address) => told.replace(address, 'address'), words);
}

const LOGIN = new Set(['192', '193', '194', '195', '516', '517']);
const NO_PERMISSION_TO_ENTER = '291';
const BUSY = new Set(['202', '203', '439', '745']);
const READONLY = '164';

/** The server's answer to HTTP on its other port. */
const OTHER_PROTOCOL = /must use port|is for clickhouse-client/i;

/** The failure of a statement that the server answered with an error. Contract §2. */
export function fromServer(fault: ServerFault, read: boolean): GatewayError {
  const { code, message } = fault;
  if (LOGIN.has(code)) return connection('Password authentication failed', fault);
  if (code === NO_PERMISSION_TO_ENTER) {
    return connection('The user may not use the database', fault);
  }
  if (OTHER_PROTOCOL.test(message)) {
    return connection('That is not the port of the HTTP interface', fault);
  }
  if (code === INCOMPLETE) return strange(fault);
  const detail: BackendDetail = { source: 'clickhouse', code, message };
  const named = inOurWords(code, message, read);
  if (named !== undefined) {
    return new GatewayError(...named, { cause: fault, details: [detail] });
  }
  const name = code === CHECK_CONSTRAINT ? 'CONSTRAINT_VIOLATED' : 'REQUEST_FAILED';
  return refusedByBackend(name, detail, { cause: fault });
}

const CHECK_CONSTRAINT = '469';

/** Where the server's words would not help: what it means here. */
function inOurWords(
  code: string,
  message: string,
  read: boolean,
): readonly [ErrorCode, string] | undefined {
  if (code === READONLY && /output_format_|date_time_|input_format_/.test(message)) {
    return [
      'REQUEST_FAILED',
      'The user may not change settings, which results need: give it readonly = 2 in place of 1',
    ];
  }
  if (code === READONLY && read) {
    return ['BAD_REQUEST', 'The statement writes or changes settings; send it to /write'];
  }
  if (code === '159' || code === '394') {
    return ['TIMED_OUT', 'The database cancelled the statement'];
  }
  if (BUSY.has(code)) {
    return ['SERVICE_UNAVAILABLE', 'The database lacks the resources for the statement'];
  }
  return undefined;
}

function connection(message: string, cause: unknown): GatewayError {
  return new GatewayError('CONNECTION_FAILED', message, { cause });
}

/** What came is no answer to what was asked. */
export function strange(cause?: unknown): GatewayError {
  return connection('The server did not answer as ClickHouse does', cause);
}

/** Where a failure met a call. */
interface Circumstances {
  readonly read: boolean;
  /** A change was sent, and its end is not known. */
  readonly uncertain: boolean;
  readonly signal: AbortSignal;
}

/** The error that a caller gets for any failure of a call. Contract §2: lost, timed out or outcome unknown. */
export function fromFailure(cause: unknown, circumstances: Circumstances): unknown {
  const { read, uncertain, signal } = circumstances;
  if (cause instanceof GatewayError) return cause;
  if (cause instanceof ServerFault && !signal.aborted && cause.code !== INCOMPLETE) {
    return fromServer(cause, read);
  }
  if (uncertain) return outcomeUnknown(cause, signal.aborted);
  if (signal.aborted) return signal.reason;
  return connection(
    read
      ? 'The connection to the database was lost'
      : 'The connection to the database was lost; nothing was changed',
    cause,
  );
}
