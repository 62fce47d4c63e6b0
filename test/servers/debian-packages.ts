/** Debian's packages: fetched and unpacked into a folder, not installed. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Fetches packages by apt-get and unpacks them into a folder.
 * @param packages the first must be had; later Debians and Ubuntu name a library otherwise, and what
 * is installed already is found anyway
 * @throws Error of apt-get or dpkg-deb
 */
export async function unpackDebian(folder: string, packages: readonly string[]): Promise<void> {
  const run = promisify(execFile);
  for (const name of packages) {
    await run('apt-get', ['download', '-q', name], { cwd: folder }).catch((cause: unknown) => {
      if (name === packages[0]) throw cause;
    });
  }
  for (const file of await readdir(folder)) {
    if (!file.endsWith('.deb')) continue;
    await run('dpkg-deb', ['-x', join(folder, file), folder]);
    await rm(join(folder, file));
  }
  await mkdir(join(folder, 'usr/lib'), { recursive: true });
  for (const each of await readdir(join(folder, 'lib')).catch(() => [])) {
    await run('cp', ['-r', join(folder, 'lib', each), join(folder, 'usr/lib/')]);
  }
}

/** Where unpacked packages have their libraries: the folders of the machine's kind. */
export async function librariesOf(folder: string): Promise<string[]> {
  const folders = await readdir(join(folder, 'usr/lib'));
  return folders.map((each) => join(folder, 'usr/lib', each));
}
