/** One gateway for one data folder. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DataFolder } from './data-folder.ts';
import { Failure } from './failure.ts';

/** SQLite's own code: another process has the lock. */
const BUSY = 5;

/** They hold their locks as long as they are referred to. */
const held: DatabaseSync[] = [];

/**
 * Keeps other gateways from the folder until this process ends, however it ends: the lock is the
 * operating system's, as SQLite takes it on a file. It holds between containers that share the
 * folder, too.
 * @throws Failure when another process has it
 */
export function lockDataFolder({ path }: DataFolder): void {
  try {
    const file = new DatabaseSync(join(path, 'lock'), { timeout: 0 });
    file.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    held.push(file);
  } catch (thrown) {
    const why = isBusy(thrown)
      ? 'is in use by another gateway; stop that one'
      : 'cannot be locked against other gateways';
    throw new Failure(`The data folder ${path} ${why}, or choose another with --data.`, {
      cause: thrown,
    });
  }
}

/** Whether a gateway runs on the folder. */
export function isLocked({ path }: DataFolder): boolean {
  const file = new DatabaseSync(join(path, 'lock'), { timeout: 0 });
  try {
    file.exec('BEGIN EXCLUSIVE; ROLLBACK');
    return false;
  } catch (thrown) {
    if (isBusy(thrown)) return true;
    throw thrown;
  } finally {
    file.close();
  }
}

function isBusy(thrown: unknown): boolean {
  return thrown instanceof Error && 'errcode' in thrown && thrown.errcode === BUSY;
}
