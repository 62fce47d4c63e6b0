/** Installs what is measured beside the gateway: into the folder of downloads, once, so that it is no dependency. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../../server/failure.ts';
import { toolEnvironment } from '../../server/tools.ts';
import { downloaded } from '../../test/servers/downloads.ts';

const FLAGS = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];

/**
 * The folder of a package of npm, with all that it needs. Its scripts do not run.
 * @param finish works on the folder before it counts as installed
 * @throws Failure when npm's registry cannot be reached, or has no such version
 */
export function installed(
  name: string,
  version: string,
  finish: (folder: string) => Promise<void> = async () => {},
): Promise<string> {
  return downloaded(`${name}-${version}-${process.arch}`, async (folder) => {
    await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}\n');
    const options = { cwd: folder, env: toolEnvironment() };
    await promisify(execFile)('npm', ['install', ...FLAGS, `${name}@${version}`], options).catch(
      (cause: unknown) => {
        throw new Failure(`${name} ${version} could not be installed from npm's registry.`, {
          cause,
        });
      },
    );
    await finish(folder);
  });
}
