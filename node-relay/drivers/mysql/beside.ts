/** A connection for a moment, besides those of the pool. */
import type { Recipe } from './connection.ts';
import { encryptionsOf, logIn } from './login.ts';
import { COMMAND, command } from './packets.ts';
import { Wire } from './wire.ts';

/** Works on a new connection for so many milliseconds at most; it is not made ready for statements of callers. @throws what logging in and the work throw */
export async function beside<Value>(
  { host, settings, route }: Recipe,
  ms: number,
  work: (wire: Wire) => Promise<Value>,
): Promise<Value> {
  const signal = AbortSignal.timeout(ms);
  const encryption = route.encryption ?? encryptionsOf(settings)[0] ?? 'DISABLED';
  const wire = new Wire((await logIn(host, settings, encryption, signal)).socket, false);
  signal.addEventListener('abort', () => wire.socket.destroy(), { once: true });
  try {
    return await work(wire);
  } finally {
    wire.socket.end(command(Buffer.from([COMMAND.quit])));
  }
}
