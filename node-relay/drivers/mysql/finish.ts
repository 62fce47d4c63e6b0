/** Ends XA transactions by their names, and finds them again. Spec: transactions.md §3. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Finished, PreparedShare, ShareStatus } from '../../../proto/prepares.ts';
import type { Connection } from './connection.ts';
import type { Packet } from './packets.ts';

/** XAER_NOTA: no such transaction, or none that another connection may finish yet. */
const UNKNOWN_XID = 1397;
/** XA_RB…: the server has undone it, and waits to be told that this is known. */
const UNDONE = new Set([1402, 1613, 1614]);
/** No connection of that number. */
const NO_SUCH_THREAD = 1094;

/** Milliseconds for which a connection that has it is waited for, and between two looks. */
const ENDING_MS = 5_000;
const LOOK_EVERY_MS = 20;

/** Commits by name. A server keeps nothing of those that have ended. */
async function commitPrepared(connection: Connection, name: string): Promise<Finished> {
  const ended = await finished(connection, name, 'XA COMMIT');
  if (ended === 'done') return { found: true, status: 'committed' };
  if (ended === 'undone') return { found: true, status: 'rolled_back' };
  return { found: false, status: await statusOf(connection, name) };
}

/**
 * Commits by name, on one connection after another where they are lost. A name that is unknown after a commit was sent has
 * taken effect. Spec: transactions.md §3.
 */
export function committing(): (connection: Connection, name: string) => Promise<Finished> {
  let wasSent = false;
  return async (connection, name) => {
    const wasSentBefore = wasSent;
    wasSent ||= connection.wire.lost === undefined;
    const ended = await commitPrepared(connection, name);
    const isDone = wasSentBefore && ended.status === 'unknown';
    return isDone ? { found: false, status: 'committed' } : ended;
  };
}

/** Undoes by name; a connection that still works on it is ended first. */
export async function rollbackPrepared(connection: Connection, name: string): Promise<Finished> {
  let ended = await finished(connection, name, 'XA ROLLBACK');
  if (ended === 'unknown' && (await endWorker(connection, name))) {
    ended = await finished(connection, name, 'XA ROLLBACK');
  }
  if (ended !== 'unknown') return { found: true, status: 'rolled_back' };
  return { found: false, status: await statusOf(connection, name) };
}

/** Still `open` while a connection works on it. */
export async function statusOf(connection: Connection, name: string): Promise<ShareStatus> {
  return (await workerOf(connection, name)) === '' ? 'unknown' : 'open';
}

/** @throws GatewayError SERVICE_UNAVAILABLE while the connection that prepared it does not end */
async function finished(
  connection: Connection,
  name: string,
  statement: 'XA COMMIT' | 'XA ROLLBACK',
): Promise<'done' | 'undone' | 'unknown'> {
  const until = performance.now() + ENDING_MS;
  for (;;) {
    const ended = await sent(connection, name, statement);
    if (ended !== 'unknown' || !(await isListed(connection, name))) return ended;
    // Prepared, but its connection has not let go of it.
    await endWorker(connection, name);
    if (performance.now() > until) break;
    await sleep(LOOK_EVERY_MS);
  }
  const message = 'The connection that prepared the transaction has not ended yet';
  throw new GatewayError('SERVICE_UNAVAILABLE', message, { retryAfter: 1 });
}

async function sent(connection: Connection, name: string, statement: string) {
  try {
    await connection.query(`${statement} '${name}'`, {}, true);
    return 'done';
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    if (error.errno === UNKNOWN_XID) return 'unknown';
    if (!UNDONE.has(error.errno)) throw error;
    await connection.query(`XA ROLLBACK '${name}'`).catch((later: unknown) => {
      // That it is undone is known, also where the connection is lost now.
      if (!(later instanceof ServerError) && connection.wire.lost === undefined) throw later;
    });
    return 'undone';
  }
}

async function isListed(connection: Connection, name: string): Promise<boolean> {
  return (await listed(connection)).includes(name);
}

/** The number of the connection that works on a share; empty when none does. */
async function workerOf(connection: Connection, name: string): Promise<string> {
  const [row] = await connection.rows("SELECT COALESCE(CAST(IS_USED_LOCK(?) AS CHAR), '')", [name]);
  return row?.[0] ?? '';
}

/** Ends the connection that works on a share and waits for that; answers whether there was one. */
async function endWorker(connection: Connection, name: string): Promise<boolean> {
  const worker = await workerOf(connection, name);
  if (worker === '') return false;
  // The server looks again: by now it may work for another.
  await connection.query(`KILL CONNECTION IS_USED_LOCK('${name}')`).catch((error: unknown) => {
    if (!(error instanceof ServerError) || error.errno !== NO_SUCH_THREAD) throw error;
  });
  const until = performance.now() + ENDING_MS;
  while ((await workerOf(connection, name)) === worker && performance.now() < until) {
    await sleep(LOOK_EVERY_MS);
  }
  return true;
}

/** Names of all prepared transactions of the server, as they were given; those of other forms are left out. */
export async function listed(connection: Connection): Promise<string[]> {
  const names: string[] = [];
  const row = (reader: Packet) => {
    const [format, length, qualifier, data = ''] = Array.from({ length: 4 }, () =>
      reader.lengthText(),
    );
    if (format === '1' && qualifier === '0' && Number(length) === data.length) names.push(data);
  };
  await connection.query('XA RECOVER', { row });
  return names;
}

/** Those whose names begin so. The server reports neither when nor by whom. */
export async function recoverPrepared(
  connection: Connection,
  prefix: string,
): Promise<PreparedShare[]> {
  const names = (await listed(connection)).filter((name) => name.startsWith(prefix));
  return names.toSorted().map((name) => ({ name, ageMs: undefined, owner: '' }));
}
