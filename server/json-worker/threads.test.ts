/** A job that needs too much memory ends alone; the next one is done. */
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
const bytes = (text: string) => new TextEncoder().encode(text);
const threads = new Threads();

const isAnswered = async (done: ReturnType<Threads['do']>) => {
  const answer = await done;
  return typeof answer === 'string'
    ? answer
    : [answer.status, new TextDecoder().decode(answer.bytes)];
};

test('one that takes all memory ends, and those alongside and after it do not', async () => {
  const deadly = threads.do(job, bytes(`{"value":[${'[],'.repeat(20 * MIB)}[]]}`), NEVER);
  const beside = threads.do(job, bytes('{"value":{"a":[1]}}'), NEVER);
  expect(await isAnswered(beside)).toEqual([200, '{"a[0]":1}']);
  expect(await isAnswered(deadly)).toBe('broken');
  expect(await isAnswered(threads.do(job, bytes('{"value":{"a":[1]}}'), NEVER))).toEqual([
    200,
    '{"a[0]":1}',
  ]);
});

test('one whose caller leaves ends at once, and its thread does the next', async () => {
  const client = new AbortController();
  const left = threads.do(job, bytes(`{"value":[${'[],'.repeat(MIB)}[]]}`), client.signal);
  client.abort();
  expect(await isAnswered(left)).toBe('left');
  expect(await isAnswered(threads.do(job, bytes('{"value":1}'), NEVER))).toEqual([200, '{"":1}']);
});
