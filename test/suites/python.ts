/** The own tests of the vendor's Python rate limiter, through the facade. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../../server/failure.ts';
import { downloaded } from '../servers/downloads.ts';
import { startFacade } from './facade.ts';
import { emptyFolder, runProgram } from './run-program.ts';
import type { Suite } from './suite.ts';

const REPOSITORY = 'upstash/ratelimit-py';
const VERSION = '1.2.0';
const PACKAGES = [`upstash-ratelimit==${VERSION}`, 'pytest', 'pytest-asyncio'];

/** Of PyPI's release, with the tests of a checkout. */
export const upstashRatelimitPy: Suite = {
  compares: "the facade in front of Redis 8 with what Upstash's client expects of Upstash",
  cases: `${REPOSITORY} (MIT), against upstash-ratelimit ${VERSION} from PyPI`,
  folder: { of: `a checkout of ${REPOSITORY}`, needed: true },
  async run({ from = '', shutdown }) {
    const tests = join(from, 'tests');
    if (!existsSync(join(tests, 'conftest.py'))) {
      throw new Failure(
        `There is no tests/conftest.py in ${from}: name a checkout of ${REPOSITORY}.`,
      );
    }
    const python = join(await downloaded(`upstash-ratelimit-py-${VERSION}`, install), 'bin/python');
    const name = 'upstash-ratelimit-py';
    // Without the checkout's own sources, so that the release is what runs.
    const cwd = await emptyFolder(name);
    await cp(tests, join(cwd, 'tests'), { recursive: true });
    const env = { ...process.env, ...(await startFacade(shutdown)) };
    const args = (report: string) => ['-m', 'pytest', '-q', 'tests', `--junitxml=${report}`];
    return runProgram(name, { command: python, args, cwd, env }, shutdown);
  },
};

async function install(folder: string): Promise<void> {
  const run = promisify(execFile);
  try {
    await run('python3', ['-m', 'venv', folder]);
    const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES];
    await run(join(folder, 'bin/python'), args);
  } catch (cause) {
    const message = `${PACKAGES.join(', ')} could not be installed: this needs Python 3.9 with venv, and PyPI.`;
    throw new Failure(message, { cause });
  }
}
