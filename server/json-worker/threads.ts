/** Threads of bounded memory that do jobs: begun when they are needed, ended when they were idle for a while. */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Job } from '../../proto/body-work.ts';
import type { JobReply } from './body-job.ts';
import type { Task } from './thread.ts';

/** Milliseconds after which an idle thread gives its memory back. Spec silent, all of them. */
const IDLE_MS = 60_000;
/** Milliseconds that a job may take: more than any takes where other programs leave it time. */
const JOB_MAX_MS = 300_000;
const MIB = 1024 * 1024;
/** MiB of a thread's heap for each MiB of the largest body: the worst shape takes 40. */
const HEAP_OF_BODY = 64;
const HEAP_MIN_MIB = 256;
/**
 * MiB of its newest objects: the engine ends the thread alone only where few of them are left over at the end. With its own default it
 * ended the process in 2 of 4 tries on a loaded machine, with this in none of 7; jobs take as long.
 */
const YOUNG_MIB = 8;

/** Why a job has no answer: it needed too much memory or time, or its caller left. */
export type Unanswered = 'broken' | 'left';

interface Thread {
  readonly worker: Worker;
  idle: NodeJS.Timeout | undefined;
}

/** As many as there are jobs at once. */
export class Threads {
  readonly #idle: Thread[] = [];

  /**
   * Does a job.
   * @param signal aborts when its caller has left
   * @throws what the job threw that nobody foresaw
   */
  async do(
    job: Job,
    bytes: Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
  ): Promise<JobReply | Unanswered> {
    const thread = this.#idle.pop() ?? begun(job);
    clearTimeout(thread.idle);
    const left = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const leave = () => void Atomics.store(left, 0, 1);
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
    try {
      const answer = await asked(thread.worker, { job, bytes, left });
      if (answer !== 'broken') this.#keep(thread);
      return answer;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #keep(thread: Thread): void {
    thread.idle = setTimeout(() => {
      this.#idle.splice(this.#idle.indexOf(thread), 1);
      void thread.worker.terminate();
    }, IDLE_MS).unref();
    this.#idle.push(thread);
  }
}

function begun({ limits }: Job): Thread {
  const maxOldGenerationSizeMb = Math.max(
    HEAP_MIN_MIB,
    Math.ceil((HEAP_OF_BODY * limits.BODY_MAX_BYTES) / MIB),
  );
  const worker = new Worker(join(import.meta.dirname, 'thread.ts'), {
    resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: YOUNG_MIB },
  });
  // Between two jobs nobody listens, and one that ends then is found out by the next.
  worker.on('error', () => {});
  // How long the process lives is its parent's to decide.
  worker.unref();
  return { worker, idle: undefined };
}

async function asked(worker: Worker, task: Task): Promise<JobReply | Unanswered> {
  const { promise, resolve, reject } = Promise.withResolvers<JobReply | Unanswered>();
  const answered = (answer: JobReply | undefined) => resolve(answer ?? 'left');
  const failed = (fault: NodeJS.ErrnoException) =>
    fault.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve('broken') : reject(fault);
  const ended = () => resolve('broken');
  const late = setTimeout(() => void worker.terminate(), JOB_MAX_MS);
  worker.on('message', answered).on('error', failed).on('exit', ended);
  worker.postMessage(task, [task.bytes.buffer as ArrayBuffer]);
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    worker.off('message', answered).off('error', failed).off('exit', ended);
  }
}
