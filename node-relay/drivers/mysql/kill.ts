/** Has a server stop what a connection does, by another connection. */
import { CANCEL_MS, cancelWhile } from '../cancel.ts';
import type { Recipe } from './connection.ts';
import { encryptionsOf, logIn } from './login.ts';
import { COMMAND, command, textCommand } from './packets.ts';
import { Wire } from './wire.ts';

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
  const { host, settings, route } = recipe;
  const signal = AbortSignal.timeout(CANCEL_MS + LAST_MS);
  try {
    const encryption = route.encryption ?? encryptionsOf(settings)[0] ?? 'DISABLED';
    const other = new Wire((await logIn(host, settings, encryption, signal)).socket, false);
    const stop = () => other.socket.destroy();
    signal.addEventListener('abort', stop, { once: true });
    const tell = (what: string) => other.send(textCommand(COMMAND.query, `${what} ${threadId}`));
    await cancelWhile(running.isBusy, () => tell('KILL QUERY'));
    // A server that was not heard goes on without its caller.
    if (running.isCutBusy()) await tell('KILL CONNECTION');
    other.socket.end(command(Buffer.from([COMMAND.quit])));
  } catch {
    // The statement then ends with its connection.
  }
}
