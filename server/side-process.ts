/** What the processes next to the gateway have in common: serving comes first, and they end with their parent alone. */
import { writeFileSync, writeSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Of all that wants a core at the same time, one next to another gets a quarter: enough to go on. Spec silent. */
const PRIORITY = 5;

/** Lowers this process' priority, and leaves its end to its parent: a signal to all of a group must not keep requests from being finished. */
export function standAside(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  setPriority(PRIORITY);
  try {
    // Where Linux shares time between sessions first, priorities within one count for nothing.
    writeFileSync('/proc/self/autogroup', String(PRIORITY));
  } catch {
    // Another system, or one that is built without.
  }
}

/** Writes a fault in the shape of the other programs' lines; without its message, which may hold what was sent. */
export function logFault(
  program: string,
  message: string,
  level: 'error' | 'fatal',
  thrown: unknown,
): void {
  const { name, stack = '' } = thrown instanceof Error ? thrown : new Error();
  const at = stack.split('\n').filter((line) => line.startsWith('    at '));
  const fields = { level, program, message, fault: { name, at } };
  const time = new Date().toISOString();
  writeSync(process.stderr.fd, `${JSON.stringify({ time, ...fields })}\n`);
}
