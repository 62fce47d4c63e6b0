/**
 * The JSON worker: a process next to the gateway that works on large JSON bodies, so that their values
 * are in no memory whose garbage the serving thread collects. Its parent hands it connections. It knows no
 * accounts and keeps nothing, and ends with its parent. docs/heavy-work.md.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { availableParallelism } from 'node:os';
import { ENDED, JOB_HEADER, Job, TOLD_HEADER } from '../../proto/body-work.ts';
import { FairQueue, QueueFull } from '../../proto/fair-queue.ts';
import { logFault, standAside } from '../side-process.ts';
import type { JobReply } from './body-job.ts';
import { Threads, type Unanswered } from './threads.ts';

const PROGRAM = 'json-worker';
/** Jobs at once: no more than leave serving a core. Spec silent. */
const AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1));
/** Jobs that may wait; the gateway itself has at most eight of an organization. Spec silent. */
const WAITING_MAX = 256;

const line = new FairQueue({ atOnce: AT_ONCE, ofOneOwner: 1, waiting: WAITING_MAX });
const threads = new Threads();

standAside();
process.on('uncaughtException', fail);
process.on('disconnect', () => process.exit(0));
// A body waits unread until it is its owner's turn; only the gateway sends requests.
const server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 });
server.on('request', (request, response) => {
  answer(request, response).catch((thrown: unknown) => {
    logFault(PROGRAM, 'a job failed', 'error', thrown);
    if (response.headersSent || response.destroyed) response.destroy();
    else response.writeHead(500).end();
  });
});
process.on('message', (_message, connection) => {
  if (connection) server.emit('connection', connection);
  process.send?.('taken');
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const job = Job.parse(JSON.parse(String(request.headers[JOB_HEADER.toLowerCase()])));
  const made = await line
    .do(job.owner, gone.signal, async () => {
      const bytes = await bytesOf(request);
      return bytes === undefined ? 'left' : threads.do(job, bytes, gone.signal);
    })
    .catch((thrown: unknown) => {
      if (thrown instanceof QueueFull) return 'full';
      if (gone.signal.aborted) return 'left';
      throw thrown;
    });
  send(response, made);
}

function send(response: ServerResponse, made: JobReply | Unanswered | 'full'): void {
  if (made === 'left') response.destroy();
  else if (typeof made === 'string') response.writeHead(ENDED[made]).end();
  else {
    const told = encodeURIComponent(JSON.stringify(made.told));
    const headers = { 'Content-Length': made.bytes.byteLength, [TOLD_HEADER]: told };
    response.writeHead(made.status, headers).end(made.bytes);
  }
}

/** The body, in memory that can be handed to a thread; nothing when it broke off. */
async function bytesOf(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = new Uint8Array(Number(request.headers['content-length']));
  let at = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      bytes.set(part, at);
      at += part.byteLength;
    }
  } catch {
    return undefined; // The gateway has gone, or its client.
  }
  return at === bytes.byteLength ? bytes : undefined;
}

function fail(thrown: unknown): never {
  logFault(PROGRAM, 'json worker failed', 'fatal', thrown);
  process.exit(1);
}
