/** The generator of requests: schemathesis, in a Python environment of its own. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../../server/failure.ts';
import { downloaded } from '../../test/servers/downloads.ts';

const run = promisify(execFile);

const VERSION = '4.32.0';
const CONSTRAINTS = join(import.meta.dirname, 'constraints.txt');
const MAIN = 'from schemathesis.cli import schemathesis; schemathesis()';

/**
 * Installs it when it is not there yet, from PyPI.
 * @returns the Python that has it
 * @throws Failure when there is no Python, or an old one, or PyPI cannot be reached
 */
export async function installGenerator(): Promise<string> {
  const digest = createHash('sha256')
    .update(await readFile(CONSTRAINTS))
    .digest('hex');
  const folder = await downloaded(`schemathesis-${VERSION}-${digest.slice(0, 8)}`, install);
  return pythonIn(folder);
}

/** Run by its path, an environment works where it was moved to. */
function pythonIn(folder: string): string {
  return join(folder, 'bin/python');
}

async function install(folder: string): Promise<void> {
  await requirePython();
  await run('python3', ['-m', 'venv', folder]).catch((cause: unknown) => {
    throw new Failure('Python lacks venv; on Debian apt-get install python3-venv brings it.', {
      cause,
    });
  });
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  await run(pythonIn(folder), [...args, '-c', CONSTRAINTS, `schemathesis==${VERSION}`]).catch(
    (cause: unknown) => {
      const [, why = 'pip could not be run'] =
        [...String(cause).matchAll(/^ERROR: (.*)$/gm)].at(-1) ?? [];
      throw new Failure(`schemathesis ${VERSION} could not be installed from PyPI: ${why}.`, {
        cause,
      });
    },
  );
}

async function requirePython(): Promise<void> {
  const asked = 'import sys; print(sys.version_info >= (3, 11), sys.version.split()[0])';
  const { stdout } = await run('python3', ['-c', asked]).catch((cause: unknown) => {
    throw new Failure('Fuzzing needs Python 3.11 or newer: there is no python3.', { cause });
  });
  const [isNewEnough, version] = stdout.trim().split(' ');
  if (isNewEnough !== 'True') {
    throw new Failure(`Fuzzing needs Python 3.11 or newer, not ${version}.`);
  }
}

/** A run of the generator. */
interface GeneratorRun {
  readonly python: string;
  /** Its working folder: the configuration is read from there. */
  readonly folder: string;
  readonly args: readonly string[];
  /** Ends it. */
  readonly signal: AbortSignal;
}

/**
 * Runs it to its end, in silence.
 * @returns its exit code, 1 when it found something, and all that it wrote
 * @throws the signal's reason
 */
export async function runGenerator({ python, folder, args, signal }: GeneratorRun): Promise<{
  readonly code: number | null;
  readonly output: string;
}> {
  const child = spawn(python, ['-c', MAIN, ...args], {
    cwd: folder,
    // Besides the seed nothing may decide what is generated.
    env: { ...process.env, PYTHONHASHSEED: '0', NO_COLOR: '1', COLUMNS: '200' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const collect = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const end = () => child.kill();
  signal.addEventListener('abort', end);
  const [code] = await once(child, 'close');
  signal.removeEventListener('abort', end);
  signal.throwIfAborted();
  return { code, output };
}
