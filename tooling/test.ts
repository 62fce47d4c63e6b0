/** `npm test`: all tests, and as the last line how many passed, failed and were skipped. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ROOT } from '../server/bundle.ts';
import { runScript } from '../server/failure.ts';
import { toolEnvironment } from '../server/tools.ts';
import { leftOut } from './left-out.ts';

/** Of vitest's JSON reporter, what is looked at. */
interface Report {
  readonly testResults: readonly FileResult[];
}

interface FileResult {
  /** Path of the file. */
  readonly name: string;
  readonly status: string;
  /** Why the file itself failed, such as by a hook. */
  readonly message?: string;
  readonly assertionResults: readonly TestResult[];
}

interface TestResult {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages?: readonly string[] | null;
}

/** Files beyond which failures are no accident of a busy or slow machine, of more than 800: they are not run again. */
const AGAIN_MAX = 12;
/** Characters of a failure's message that are told. */
const MESSAGE_MAX = 300;
/** What is told where there is no report. */
const NONE = { passed: 0, failed: 1, skipped: 0 };

await runScript(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-test-'));
  try {
    process.exitCode = await runTests(folder, process.argv.slice(2));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Arguments go to vitest. */
async function runTests(folder: string, args: readonly string[]): Promise<number> {
  const first = await vitest(join(folder, 'report.json'), args);
  for (const sentence of leftOut().sentences) console.log(sentence);
  if (first === undefined) return told(NONE);
  const failed = first.report.testResults.filter(({ status }) => status === 'failed');
  if (failed.length === 0 || failed.length > AGAIN_MAX) return told(countsOf(first.report), first);
  return await runAgain(folder, first, failed);
}

/**
 * Runs the few files that failed once more, one after another: what passes then is named, so that it is
 * not forgotten, and what fails again has failed.
 */
async function runAgain(folder: string, first: Run, failed: readonly FileResult[]) {
  const files = failed.map(({ name }) => name);
  console.log(
    `Once more, one after another: ${files.map((each) => relative(ROOT, each)).join(', ')}`,
  );
  const second = await vitest(join(folder, 'again.json'), ['--no-file-parallelism', ...files]);
  if (second === undefined) return told(countsOf(first.report), first);
  const others = first.report.testResults.filter((each) => !failed.includes(each));
  const report = { testResults: [...others, ...second.report.testResults] };
  for (const { assertionResults } of failed) {
    for (const { fullName, status } of assertionResults) {
      if (status === 'failed') console.log(`Failed at first: ${fullName}`);
    }
  }
  return told(countsOf(report), second);
}

interface Run {
  readonly code: number;
  readonly report: Report;
}

/** One run; undefined where it left no report. */
async function vitest(report: string, args: readonly string[]): Promise<Run | undefined> {
  const child = spawn(join(ROOT, 'node_modules/.bin/vitest'), ['run', ...args], {
    cwd: ROOT,
    env: { ...toolEnvironment(), TEST_REPORT: report },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, forward);
  const [code] = await once(child, 'exit');
  const written = await readFile(report, 'utf8').catch(() => undefined);
  // Written by vitest itself a moment ago.
  return written === undefined
    ? undefined
    : { code: code ?? 1, report: JSON.parse(written) as Report };
}

/** Names what failed, prints the counts as the last line, and answers the exit code. */
function told({ passed, failed, skipped }: typeof NONE, run?: Run): number {
  for (const file of run?.report.testResults ?? []) tellFailures(file);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return run?.code === 0 && failed === 0 ? 0 : 1;
}

/** One line for each test that failed: all that is left where the run was ended before it told them. */
function tellFailures({ name, status, message, assertionResults }: FileResult): void {
  if (status !== 'failed') return;
  const file = relative(ROOT, name);
  const failed = assertionResults.filter((each) => each.status === 'failed');
  for (const { fullName, failureMessages } of failed) {
    console.log(`Failed: ${file}: ${fullName}: ${firstLine(failureMessages?.[0])}`);
  }
  if (failed.length === 0) console.log(`Failed: ${file}: ${firstLine(message)}`);
}

function firstLine(text = ''): string {
  return text.split('\n', 1)[0]?.slice(0, MESSAGE_MAX) ?? '';
}

/** A file that fails outside its tests, such as by a hook or before them, counts as one failure. */
function countsOf({ testResults }: Report): typeof NONE {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const broken = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((each) => each.status === 'failed'),
  );
  const passed = all.filter(({ status }) => status === 'passed').length;
  const failed = all.filter(({ status }) => status === 'failed').length;
  return { passed, failed: failed + broken.length, skipped: all.length - passed - failed };
}
