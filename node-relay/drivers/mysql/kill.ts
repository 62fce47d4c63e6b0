/** Has a server stop what a connection does, by another connection. */
import { CANCEL_MS, cancelWhile } from '../cancel.ts';
import { beside } from './beside.ts';
import type { Recipe } from './connection.ts';
import { COMMAND, textCommand } from './packets.ts';

/** Milliseconds more for what the server is told once the connection is cut. */
const LAST_MS = 1_000;

/** What is to be stopped. */
interface KillTarget {
  /** Whether the server has yet to answer. */
  isBusy(): boolean;
  /** Whether the connection was cut before it did. */
  isCutBusy(): boolean;
}

/** Kills the statement of a connection for as long as there is one, then the connection if it had to be cut. */
export async function kill(recipe: Recipe, threadId: number, running: KillTarget): Promise<void> {
  await beside(recipe, CANCEL_MS + LAST_MS, async (other) => {
    const tell = (what: string) => other.send(textCommand(COMMAND.query, `${what} ${threadId}`));
    await cancelWhile(running.isBusy, () => tell('KILL QUERY'));
    // A server that was not heard goes on without its caller.
    if (running.isCutBusy()) await tell('KILL CONNECTION');
  }).catch(() => {}); // The statement then ends with its connection.
}
