/** Shares that somebody else began: each is named by its session and number. Spec: transactions.md §2, §3. */
import { type Document, MongoServerError } from 'mongodb';
import type { Call } from '../../../proto/driver.ts';
import { isJsonObject, type Json, parseJson } from '../../../proto/json.ts';
import type { ShareStatus } from '../../../proto/prepares.ts';
import type { Database } from './database.ts';
import { codeOf } from './marks.ts';

/** NoSuchTransaction: it was undone, or never arrived. */
const NO_SUCH_TRANSACTION = 251;
/** Milliseconds after which a server may have forgotten a transaction, by a third less than it says. Source: MongoDB manual, `localLogicalSessionTimeoutMinutes`. */
const REMEMBERED_MS = 20 * 60_000;

interface LostShare {
  readonly session: Uint8Array;
  readonly number: number;
  readonly token: Json | undefined;
  readonly at: number;
}

/** What names a transaction to the server: its session and number, and on a sharded cluster who coordinates it. */
export function recoveryFrom(session: Uint8Array, number: number, token?: object): string {
  const id = Buffer.from(session).toString('base64');
  return JSON.stringify({ session: id, number, at: Date.now(), ...(token ? { token } : {}) });
}

/**
 * Commits again what was told to commit, by its session and number: the answer is what became of it. Source: MongoDB's
 * specification of transactions, "commitTransaction".
 */
export async function settle(
  database: Database,
  recovery: string,
  call: Call,
): Promise<ShareStatus> {
  const named = namedBy(recovery);
  if (named === undefined) return 'unknown';
  const command = { commitTransaction: 1, writeConcern: { w: 'majority' } };
  const code = await codeOfEnding(database, named, command, call);
  if (code === undefined) return 'committed';
  // What it has forgotten has no such transaction either.
  return Date.now() - named.at > REMEMBERED_MS ? 'unknown' : 'rolled_back';
}

/** Undoes what is open of a share whose process is gone: else the server holds it for a minute. */
export async function abandon(database: Database, recovery: string, call: Call): Promise<void> {
  const named = namedBy(recovery);
  if (named === undefined) return;
  await codeOfEnding(database, named, { abortTransaction: 1 }, call).catch((error: unknown) => {
    // It has come to another end, or the server does not know it.
    if (!(codeOf(error) > 0)) throw error;
  });
}

/** @returns that there is no such transaction; undefined where it has ended so */
function codeOfEnding(
  database: Database,
  { session: id, number, token }: LostShare,
  command: Document,
  call: Call,
): Promise<number | undefined> {
  return database.call({ ...call, mode: 'read' }, async ({ client, session }) => {
    const own = session.serverSession;
    own.id.id.buffer.set(id);
    own.txnNumber = number;
    // The driver does not use it again for others.
    own.isDirty = true;
    const told = { ...command, ...(isJsonObject(token) ? { recoveryToken: token } : {}) };
    try {
      await client.db('admin').command(told, { session });
      return undefined;
    } catch (error) {
      const code = error instanceof MongoServerError ? error.code : undefined;
      if (code === NO_SUCH_TRANSACTION) return NO_SUCH_TRANSACTION;
      throw error;
    }
  });
}

function namedBy(recovery: string): LostShare | undefined {
  if (recovery === '') return undefined;
  const value: Json = parseJson(recovery);
  if (!isJsonObject(value)) return undefined;
  const { session, number, token, at } = value;
  if (typeof session !== 'string' || typeof number !== 'number') return undefined;
  // Of an earlier version nobody knows when: it is taken to be remembered.
  const known = typeof at === 'number' ? at : Date.now();
  return { session: Buffer.from(session, 'base64'), number, token, at: known };
}
