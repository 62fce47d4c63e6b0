/** The own tests of the vendor's JavaScript clients, through the facade. They are written for Bun. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../../server/failure.ts';
import { downloaded } from '../servers/downloads.ts';
import { startFacade } from './facade.ts';
import { emptyFolder, runProgram } from './run-program.ts';
import type { Suite } from './suite.ts';

const BUN = '1.4.5';
/** Of one test, in milliseconds: some of them wait for windows to end. */
const TEST_MAX_MS = '60000';

interface Client {
  readonly repository: string;
  /** Where its sources lie in the checkout, and below them its tests. */
  readonly package: string;
  readonly tests: string;
  /** Loaded before the tests. */
  readonly preload?: string;
}

function suiteOf(name: string, { repository, package: inside, tests, preload }: Client): Suite {
  return {
    compares: `the facade in front of Redis 8 with what Upstash's clients expect of Upstash`,
    cases: `${repository} (MIT), run by Bun ${BUN} from npm`,
    folder: { of: `a checkout of ${repository}`, needed: true },
    async run({ from = '', shutdown }) {
      const source = join(from, inside);
      if (!existsSync(join(source, tests))) {
        throw new Failure(
          `There is no folder ${tests} in ${source}: name a checkout of ${repository}.`,
        );
      }
      const bun = await installBun();
      // Below this project's folder its packages are found: what the clients stand on.
      const cwd = await emptyFolder(name);
      await cp(source, cwd, { recursive: true });
      const env = { ...process.env, ...(await startFacade(shutdown)) };
      const args = (report: string) => [
        'test',
        tests,
        ...(preload === undefined ? [] : [`--preload=${preload}`]),
        `--timeout=${TEST_MAX_MS}`,
        '--reporter=junit',
        `--reporter-outfile=${report}`,
      ];
      return runProgram(name, { command: bun, args, cwd, env }, shutdown);
    },
  };
}

async function installBun(): Promise<string> {
  const built = `@oven/bun-linux-${arch() === 'arm64' ? 'aarch64' : 'x64'}`;
  const folder = await downloaded(`bun-${BUN}`, async (into) => {
    const args = ['install', '--no-save', '--ignore-scripts', '--prefix', into, `${built}@${BUN}`];
    await promisify(execFile)('npm', args).catch((cause: unknown) => {
      throw new Failure(`Bun ${BUN} could not be installed from npm.`, { cause });
    });
  });
  return join(folder, 'node_modules', built, 'bin/bun');
}

/** By name. */
export const upstashSuites: Readonly<Record<string, Suite>> = {
  'upstash-redis': suiteOf('upstash-redis', {
    repository: 'upstash/redis-js',
    package: 'packages/redis',
    tests: 'pkg',
  }),
  'upstash-ratelimit': suiteOf('upstash-ratelimit', {
    repository: 'upstash/ratelimit-js',
    package: '.',
    tests: 'src',
    preload: join(import.meta.dirname, 'known-ips.ts'),
  }),
};
