/** Runs the test runner of a suite and reads the report that it leaves. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../server/bundle.ts';
import { Failure } from '../../server/failure.ts';
import type { Shutdown } from '../../server/shutdown.ts';
import { outcomeOf } from './junit.ts';
import type { Outcome } from './suite.ts';

/** A program with its arguments. */
interface Program {
  readonly command: string;
  /** @param report file that the runner writes its report to */
  readonly args: (report: string) => readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A folder of the run that is empty, below `test-results`. */
export async function emptyFolder(name: string): Promise<string> {
  const folder = join(ROOT, 'test-results/conformance', name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return folder;
}

/**
 * Runs it to its end; what it writes goes to stderr.
 * @throws Failure when it leaves no report, or one without cases
 */
export async function runProgram(
  name: string,
  { command, args, cwd, env }: Program,
  shutdown: Shutdown,
): Promise<Outcome> {
  const report = join(await emptyFolder(`${name}-report`), 'junit.xml');
  const child = spawn(command, args(report), { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
  await shutdown.add(async () => void child.kill());
  const [code] = await once(child, 'exit');
  const text = await readFile(report, 'utf8').catch((cause: unknown) => {
    throw new Failure(`The suite's runner ended with code ${code} and left no report.`, { cause });
  });
  const outcome = outcomeOf(text);
  if (outcome.passed + outcome.differing.size > 0) return outcome;
  throw new Failure(`The suite's runner ended with code ${code} and ran no case.`);
}
