/** Brings a local D1 to the newest migration, in the same book of records as `wrangler d1 migrations apply`. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Miniflare } from 'miniflare';
import { ROOT } from './bundle.ts';
import { Failure } from './failure.ts';

type LocalD1 = Awaited<ReturnType<Miniflare['getD1Database']>>;

const BOOK = `CREATE TABLE IF NOT EXISTS d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

/** What drizzle-kit writes between two statements. */
const BREAKPOINT = '--> statement-breakpoint';

/** A migration that is not applied yet. */
interface PendingMigration {
  readonly name: string;
  /** With what enters it into the book of records. */
  readonly text: string;
}

/**
 * Each migration is applied whole or not at all. Answers the names of those applied now.
 * @throws Failure naming the one that cannot be
 */
export async function applyMigrations(db: LocalD1): Promise<string[]> {
  const [, applied] = await db.batch<{ name: string }>([
    db.prepare(BOOK),
    db.prepare('SELECT name FROM d1_migrations'),
  ]);
  const known = new Set(applied?.results.map(({ name }) => name));
  const folder = join(ROOT, 'migrations');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  const pending = await Promise.all(
    names.filter((name) => !known.has(name)).map((name) => readMigration(folder, name)),
  );
  // A first start has all of them ahead of it. One after the other tells which one it is that fails.
  const isDone = known.size === 0 && (await apply(db, pending).then(yes, no));
  if (!isDone) for (const each of pending) await applyOne(db, each);
  return pending.map(({ name }) => name);
}

const yes = () => true;
const no = () => false;

async function readMigration(folder: string, name: string): Promise<PendingMigration> {
  const text = (await readFile(join(folder, name), 'utf8')).replaceAll(BREAKPOINT, '');
  const quoted = `'${name.replaceAll("'", "''")}'`;
  return { name, text: `${text}\n;INSERT INTO d1_migrations (name) VALUES (${quoted});` };
}

/** In one transaction, and one statement of D1: each one that is prepared holds this process up for some milliseconds. */
async function apply(db: LocalD1, pending: readonly PendingMigration[]): Promise<void> {
  await db.batch([db.prepare(pending.map(({ text }) => text).join('\n'))]);
}

async function applyOne(db: LocalD1, migration: PendingMigration): Promise<void> {
  await apply(db, [migration]).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : 'unknown cause';
    const sentence = `The tables cannot be brought up to date: ${migration.name} failed (${why}), and nothing of it was changed.`;
    throw new Failure(
      `${sentence} Restore the data folder from a backup, or start the version before.`,
      { cause },
    );
  });
}
