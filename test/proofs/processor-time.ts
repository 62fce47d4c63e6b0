/** What a thread has used of its processor: what others do on the machine does not count. */

const cell = new Int32Array(new SharedArrayBuffer(4));
const INSTANT_MS = 0.02;

/** Milliseconds of this thread's processor, to some microseconds. */
export function cpuMs(run: () => unknown): number {
  const began = usedMs();
  run();
  return usedMs() - began;
}

/** The system brings a thread's account up to date when it waits, else only at each of its ticks, four milliseconds apart. */
function usedMs(): number {
  Atomics.wait(cell, 0, 0, INSTANT_MS);
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
