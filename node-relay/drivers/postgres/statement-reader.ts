/**
 * Reads large statements in a thread of their own: PostgreSQL's parser cannot be interrupted, and
 * all others in the process would wait for it. docs/heavy-work.md.
 */
import { Worker } from 'node:worker_threads';
import {
  hold,
  PARSED_MAX_CHARACTERS,
  type ParsedText,
} from '../../../kinds/postgres/dialect/statement.ts';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';

/** Shorter texts are parsed where they are: that takes less than 10 ms. */
const LARGE_CHARACTERS = 12_288;
/** Milliseconds after which a text is given up, with the thread that reads it. Spec silent. */
const READ_MAX_MS = 5_000;
const THREAD = new URL('statement-thread.ts', import.meta.url);

/**
 * Does work that parses the statements of requests: large ones have been read by then.
 * @throws what the signal says when it aborts before they are, and what the work throws
 */
export async function withStatements<Value>(
  requests: readonly PostgresRequest[],
  signal: AbortSignal,
  work: () => Promise<Value>,
): Promise<Value> {
  const texts = largeTexts(requests);
  if (texts.length === 0) return work();
  const release = await readAhead(texts, signal);
  try {
    return await work();
  } finally {
    release();
  }
}

/** As `withStatements`, for work that answers piece by piece. */
export async function* streamWithStatements<Value>(
  requests: readonly PostgresRequest[],
  signal: AbortSignal,
  work: () => AsyncIterable<Value>,
): AsyncGenerator<Value> {
  const release = await readAhead(largeTexts(requests), signal);
  try {
    yield* work();
  } finally {
    release();
  }
}

function largeTexts(requests: readonly PostgresRequest[]): string[] {
  const isLarge = ({ length }: string) =>
    length > LARGE_CHARACTERS && length <= PARSED_MAX_CHARACTERS;
  return requests.map(({ query }) => query).filter(isLarge);
}

async function readAhead(texts: readonly string[], signal: AbortSignal): Promise<() => void> {
  const releases: (() => void)[] = [];
  const release = () => {
    for (const each of releases) each();
  };
  try {
    for (const text of new Set(texts)) releases.push(hold(text, await read(text, signal)));
  } catch (cause) {
    release();
    throw cause;
  }
  return release;
}

let line: Promise<unknown> = Promise.resolve();
let thread: Worker | undefined;

/** One after another: turns were decided before. */
function read(text: string, signal: AbortSignal): Promise<ParsedText> {
  const turn = line.then(() => {
    signal.throwIfAborted();
    return readNow(text);
  });
  line = turn.catch(() => {});
  return turn;
}

async function readNow(text: string): Promise<ParsedText> {
  thread ??= new Worker(THREAD);
  const reader = thread;
  reader.ref();
  const { promise, resolve } = Promise.withResolvers<ParsedText>();
  const giveUp = (message: string) => () => {
    if (thread === reader) thread = undefined;
    void reader.terminate();
    resolve({ failed: { message, sqlstate: '54001', position: undefined } });
  };
  const failed = giveUp('the statement cannot be checked');
  const timer = setTimeout(giveUp('checking the statement takes too long'), READ_MAX_MS);
  reader.once('message', resolve).once('error', failed).once('exit', failed);
  reader.postMessage(text);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    reader.off('message', resolve).off('error', failed).off('exit', failed);
    reader.unref();
  }
}
