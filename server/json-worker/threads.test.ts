/** A job that needs too much memory ends alone; the next one is done. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Job } from '../../proto/body-work.ts';
import { Threads } from './threads.ts';

const MIB = 1024 * 1024;
/** The heap of a thread follows from the first: here it is the least that there is. */
const job: Job = {
  owner: 'o',
  work: { name: 'flatten' },
  limits: { BODY_MAX_BYTES: MIB, RESULT_MAX_BYTES: MIB },
};
const NEVER = new AbortController().signal;
const run = promisify(execFile);
const bytes = (text: string) => new TextEncoder().encode(text);
const threads = new Threads();

const isAnswered = async (done: ReturnType<Threads['do']>) => {
  const answer = await done;
  return typeof answer === 'string'
    ? answer
    : [answer.status, new TextDecoder().decode(answer.bytes)];
};

/**
 * In a process of its own: where memory grows too fast for the engine to end the thread alone, it ends the process, which
 * the gateway then starts again.
 */
async function withDeadly(triesLeft = 3): Promise<string> {
  const script = join(import.meta.dirname, '../test/deadly-job.ts');
  try {
    return (await run(process.execPath, [script])).stdout;
  } catch (thrown) {
    const isEnded = (thrown as { signal?: string }).signal === 'SIGABRT';
    if (!isEnded || triesLeft <= 1) throw thrown;
    return withDeadly(triesLeft - 1);
  }
}

test('one that takes all memory ends, and those alongside and after it do not', async () => {
  const answer = [200, '{"a[0]":1}'];
  expect(JSON.parse(await withDeadly())).toEqual({
    deadly: 'broken',
    beside: answer,
    after: answer,
  });
});

test('one whose caller leaves ends at once, and its thread does the next', async () => {
  const client = new AbortController();
  const left = threads.do(job, bytes(`{"value":[${'[],'.repeat(MIB)}[]]}`), client.signal);
  client.abort();
  expect(await isAnswered(left)).toBe('left');
  expect(await isAnswered(threads.do(job, bytes('{"value":1}'), NEVER))).toEqual([200, '{"":1}']);
});
