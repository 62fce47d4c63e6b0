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
  const pending = names.filter((name) => !known.has(name));
  for (const name of pending) {
    const text = await readFile(join(folder, name), 'utf8');
    const statements = [
      ...text.split(BREAKPOINT).map((statement) => db.prepare(statement)),
      db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
    ];
    await db.batch(statements).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : 'unknown cause';
      const sentence = `The tables cannot be brought up to date: ${name} failed (${why}), and nothing of it was changed.`;
      throw new Failure(
        `${sentence} Restore the data folder from a backup, or start the version before.`,
        { cause },
      );
    });
  }
  return pending;
}
