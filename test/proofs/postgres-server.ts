/** A PostgreSQL server for one proof alone: what is tried on it would disturb other tests, and might end it. */
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresKind } from '../../node-relay/drivers/postgres/test/database.ts';
import { randomSecret } from '../../server/data-folder.ts';
import { startPostgres } from '../../server/postgres-server.ts';
import { isRoot, UNPRIVILEGED_ID } from '../../server/server-process.ts';
import { debianPostgres } from '../servers/postgres/debian-program.ts';

/** Both versions that proofs run on. */
export const KINDS: readonly PostgresKind[] = ['postgres', 'postgres-15'];

/** A server of a proof's own. */
export interface OwnServer {
  readonly kind: PostgresKind;
  readonly url: string;
  /** Its data folder. */
  readonly data: string;
  /** A folder outside its data that it may read and write; there is a file `note` in it. */
  readonly scratch: string;
  /** Ends it and removes its folders. */
  stop(): Promise<void>;
}

/** Only what is asked of it happens on it: no vacuum by itself, no compiling, all extensions able to work. */
const SETTINGS = {
  max_connections: 60,
  max_prepared_transactions: 20,
  wal_level: 'logical',
  track_commit_timestamp: 'on',
  shared_preload_libraries: 'pg_stat_statements',
  autovacuum: 'off',
  jit: 'off',
  fsync: 'off',
};

/**
 * Starts one.
 * @throws Failure saying what is missing and how to get it
 */
export async function ownServer(kind: PostgresKind): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-proof-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const data = join(folder, 'data');
    const scratch = await madeScratch(folder);
    const server = await startPostgres({
      folder: data,
      password: randomSecret(),
      settings: SETTINGS,
      ...(kind === 'postgres-15' ? { program: await debianPostgres() } : {}),
    });
    const stop = async () => {
      await server.stop();
      await remove();
    };
    return { kind, url: server.url, data, scratch, stop };
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}

async function madeScratch(folder: string): Promise<string> {
  const scratch = join(folder, 'scratch');
  const note = join(scratch, 'note');
  await mkdir(scratch);
  await writeFile(note, 'a note\n');
  if (isRoot()) {
    for (const each of [folder, scratch, note]) await chown(each, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
  }
  return scratch;
}
