/** `npm test`: all tests, and as the last line how many passed, failed and were skipped. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../server/bundle.ts';
import { runScript } from '../server/failure.ts';
import { toolEnvironment } from '../server/tools.ts';
import { leftOut } from './left-out.ts';

/** Of vitest's JSON reporter, what is looked at. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

await runScript(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-test-'));
  try {
    process.exitCode = await runTests(join(folder, 'report.json'), process.argv.slice(2));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Arguments go to vitest. */
async function runTests(report: string, args: readonly string[]): Promise<number> {
  const child = spawn(join(ROOT, 'node_modules/.bin/vitest'), ['run', ...args], {
    cwd: ROOT,
    env: { ...toolEnvironment(), TEST_REPORT: report },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, forward);
  const [code] = await once(child, 'exit');
  for (const sentence of leftOut().sentences) console.log(sentence);
  const counted = await readFile(report, 'utf8').catch(() => undefined);
  if (counted === undefined) {
    console.log('0 passed, 1 failed, 0 skipped');
    return 1;
  }
  // Written by vitest itself a moment ago.
  const { passed, failed, skipped } = countsOf(JSON.parse(counted) as Report);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return code === 0 && failed === 0 ? 0 : 1;
}

/** A file that fails beside its tests, such as by a hook or before them, counts as one failure. */
function countsOf(report: Report) {
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((each) => each.status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
