/** What the processes next to the gateway have in common: serving comes first, and they end only with their parent. */
import { writeFileSync, writeSync } from 'node:fs';
import { setPriority } from 'node:os';

/** A lower priority: such a process gets about a quarter of a core that a serving process wants as well. Spec silent. */
const PRIORITY = 5;

/** Lowers this process' priority, and leaves its end to its parent: a signal to the whole process group must not stop requests in flight. */
export function standAside(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  setPriority(PRIORITY);
  try {
    // Where Linux first shares time between sessions, priorities within one session have no effect.
    writeFileSync('/proc/self/autogroup', String(PRIORITY));
  } catch {
    // Another system, or one without this feature.
  }
}

/** Writes an error in the form of the other programs' log lines, without its message, which may hold what was sent. */
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
