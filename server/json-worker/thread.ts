/** A thread of the JSON worker: does one job after another, and drops one whose caller has left. */
import { parentPort } from 'node:worker_threads';
import type { Job } from '../../proto/body-work.ts';
import { answerTo, type JobReply } from './body-job.ts';

/** What a thread is sent. It answers with an `Answer`, or nothing when the caller left. */
export interface Task {
  readonly job: Job;
  readonly bytes: Uint8Array;
  /** Shared: its one element is no longer 0 once the caller has left. */
  readonly left: Int32Array;
}

parentPort?.on('message', ({ job, bytes, left }: Task) => {
  void done(job, bytes, left).then((answer) =>
    parentPort?.postMessage(answer, answer ? [answer.bytes.buffer as ArrayBuffer] : []),
  );
});

/** What it throws ends the thread. */
async function done(job: Job, bytes: Uint8Array, left: Int32Array): Promise<JobReply | undefined> {
  const pieces = await answerTo(job, bytes);
  while (Atomics.load(left, 0) === 0) {
    const piece = pieces.next();
    if (piece.done) return piece.value;
  }
  return undefined;
}
