/** Reads that may be a little old: from D1's replicas, by its Sessions API. Decision 0025. */
import { drizzle } from 'drizzle-orm/d1';
import { LruMap } from '../../proto/lru-map.ts';
import type { Bindings, Database } from '../context.ts';

/** A session of this isolate; each read of it sees at least what those before it saw. */
interface Session {
  readonly db: Database;
  /** Of the isolate, when it began. */
  readonly changes: number;
  /** Its next read goes to the primary. */
  isFresh: boolean;
}

/** Names per isolate. */
const CAPACITY = 10_000;
const sessions = new WeakMap<D1Database, Session>();
/** Names of what a replica may have answered. */
const replicated = new LruMap<string, string>(CAPACITY);

/**
 * Where to read what may be a little old, though never older than what this isolate has changed.
 * @param changes how often it has
 * @param name of what is read
 */
export function readsOfReplica(
  { DB }: Pick<Bindings, 'DB'>,
  changes: number,
  name: string,
): Database {
  let session = sessions.get(DB);
  if (session?.changes !== changes) {
    const isFresh = changes > 0;
    const made = DB.withSession(isFresh ? 'first-primary' : 'first-unconstrained');
    // Drizzle calls what a session has: prepare and batch.
    session = { db: drizzle(made as unknown as D1Database), changes, isFresh };
    sessions.set(DB, session);
  }
  if (session.isFresh) replicated.delete(name);
  else replicated.set(name, name);
  session.isFresh = false;
  return session.db;
}

/** Names, beginning like this, of what a replica may have answered; they are known no longer. */
export function takeReplicated(prefix: string): string[] {
  const names: string[] = [];
  replicated.deleteWhere((name) => {
    if (!name.startsWith(prefix)) return false;
    names.push(name);
    return true;
  });
  return names;
}
