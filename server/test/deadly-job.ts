/** Gives a thread of the JSON worker more than its memory holds, and other jobs alongside and after it; prints what each came to. */
import type { Job } from '../../proto/body-work.ts';
import { Threads } from '../json-worker/threads.ts';

const MIB = 1024 * 1024;
/** The heap of a thread follows from the first: here it is the least that there is. */
const job: Job = {
  owner: 'o',
  work: { name: 'flatten' },
  limits: { BODY_MAX_BYTES: MIB, RESULT_MAX_BYTES: MIB },
};
const threads = new Threads();

async function done(text: string) {
  const bytes = new TextEncoder().encode(text);
  const answer = await threads.do(job, bytes, new AbortController().signal);
  return typeof answer === 'string'
    ? answer
    : [answer.status, new TextDecoder().decode(answer.bytes)];
}

// Idle threads keep no process alive.
const alive = setInterval(() => {}, 1_000);
const list = `[${'[],'.repeat(1023)}[]]`;
const [deadly, beside] = await Promise.all([
  done(`{"value":[${`${list},`.repeat(20 * 1024)}[]]}`),
  done('{"value":{"a":[1]}}'),
]);
const after = await done('{"value":{"a":[1]}}');
clearInterval(alive);
process.stdout.write(JSON.stringify({ deadly, beside, after }));
