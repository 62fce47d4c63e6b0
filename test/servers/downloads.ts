/** Programs that tests run and npm does not bring: fetched once, into a folder that is not committed. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../../server/bundle.ts';
import { systemCode } from '../../server/failure.ts';

/** Where they lie; `CAUSEWAY_DOWNLOADS` names another folder, for example one that several checkouts share. */
function downloads(): string {
  return process.env.CAUSEWAY_DOWNLOADS || join(ROOT, '.downloads');
}

/**
 * The folder of a program, made when it is not there yet. What was interrupted is made again;
 * of several processes one makes it and the others wait.
 * @param name with the version: `cassandra-5.0.9`
 * @param make fills an empty folder
 * @throws what `make` throws
 */
export async function downloaded(
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(downloads(), name);
  if (existsSync(folder)) return folder;
  await mkdir(downloads(), { recursive: true });
  const unlock = await lock(`${folder}.lock`);
  try {
    if (existsSync(folder)) return folder;
    const part = `${folder}.part`;
    await rm(part, { recursive: true, force: true });
    await mkdir(part);
    await make(part);
    await rename(part, folder);
    return folder;
  } finally {
    await unlock();
  }
}

async function lock(file: string): Promise<() => Promise<void>> {
  while (true) {
    try {
      await writeFile(file, String(process.pid), { flag: 'wx' });
      return () => rm(file, { force: true });
    } catch (thrown) {
      if (systemCode(thrown) !== 'EEXIST') throw thrown;
    }
    if (await isLeft(file)) await rm(file, { force: true });
    else await sleep(200);
  }
}

/** Whether the process that holds the lock is gone. */
async function isLeft(file: string): Promise<boolean> {
  const pid = Number(await readFile(file, 'utf8').catch(() => '0'));
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
