/** Runs measurements one after another, each in a process of its own, and gathers what they tell. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Finding } from '../report.ts';
import type { Planned } from './plan.ts';

/** How a measurement went. */
export interface Outcome extends Planned {
  readonly seconds: number;
  readonly findings: readonly Finding[];
  /** Why nothing, or not all, was measured; undefined when it ran to its end. */
  readonly failure: string | undefined;
}

/** It is in a group of its own, and does not hear of them by itself. */
const STOPS = ['SIGINT', 'SIGTERM'] as const;
/** Milliseconds in which what has been told to end ends what it has started. */
const STOP_MAX_MS = 10_000;
/** Of the last of what it wrote to its errors, characters that are told. */
const TOLD_MAX = 300;

/** Runs one. @param program what takes its name and flags as arguments */
export async function measure(program: readonly string[], planned: Planned): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-findings-'));
  const file = join(folder, 'findings');
  const began = performance.now();
  const child = spawn(process.execPath, [...program, planned.name, ...planned.flags], {
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...process.env, BENCH_FINDINGS: file },
    // What it starts is ended with it.
    detached: true,
  });
  const stopped = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    process.exit(1);
  };
  for (const signal of STOPS) process.once(signal, stopped);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    process.stderr.write(text);
    errors = lastLines(errors + text);
  });
  const exit = once(child, 'exit');
  const timer = new AbortController();
  const isOver = sleep(planned.secondsMax * 1000, true, { signal: timer.signal }).catch(
    () => false,
  );
  const isLate = await Promise.race([isOver, exit.then(() => false)]);
  timer.abort();
  if (isLate) await end(child.pid, exit);
  await exit;
  for (const signal of STOPS) process.off(signal, stopped);
  const { findings, unread } = await findingsIn(file);
  await rm(folder, { recursive: true, force: true });
  const seconds = (performance.now() - began) / 1000;
  const failure = isLate
    ? `It did not end in ${planned.secondsMax} s.`
    : (failureOf(child.exitCode, findings, errors) ?? unread);
  return { ...planned, seconds, findings, failure };
}

/** Whole lines: half a line of a log looks like none. */
function lastLines(text: string): string {
  const most = 8 * TOLD_MAX;
  return text.length <= most ? text : text.slice(text.indexOf('\n', text.length - most) + 1);
}

/** One that found that a promise does not hold ends with 1, too. */
function failureOf(code: number | null, findings: readonly Finding[], errors: string) {
  const lines = errors.split('\n').filter(tellsWhy);
  if (code === 0 || (code === 1 && findings.length > 0 && lines.length === 0)) return undefined;
  const line = lines.find((each) => /^(\w*Error|Failure)\b|: /.test(each)) ?? lines.at(-1);
  return (line ?? `It ended with code ${code}.`).trim().slice(0, TOLD_MAX);
}

/** Neither a place in the code nor a line of a log. */
function tellsWhy(line: string): boolean {
  return /\S/.test(line) && !/^\s+at |^\{"/.test(line);
}

async function end(pid: number | undefined, exit: Promise<unknown>): Promise<void> {
  if (pid === undefined) return;
  process.kill(-pid, 'SIGTERM');
  await Promise.race([exit, sleep(STOP_MAX_MS)]);
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All have ended.
  }
}

/** What can be read of what was told, and what was told besides. */
async function findingsIn(file: string) {
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  const read = lines.map((line) => Finding.safeParse(JSON.parse(line)));
  const unread = lines.filter((_, at) => read[at]?.success === false);
  return {
    findings: read.flatMap(({ data }) => data ?? []),
    // A value that is no number is null in JSON.
    unread: unread.length === 0 ? undefined : `Told without a number: ${unread[0]}`,
  };
}
