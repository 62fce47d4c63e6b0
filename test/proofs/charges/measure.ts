/** The processor's time that a charge stands for, on whatever machine this is. */

/** Milliseconds that a machine of its own takes to count so far. */
const COUNTED = 20_000_000;
const COUNTING_MS = 105;
const ROUNDS = 5;

/** How many times as long this machine takes as the one that charges were found on; more while others use it, too. */
export function slowness(): number {
  return Math.max(1, Math.min(...Array.from({ length: ROUNDS }, () => cpuMs(count))) / COUNTING_MS);
}

function count(): number {
  let sum = 0;
  for (let at = 0; at < COUNTED; at += 1) sum = (Math.imul(sum, 31) + at) | 0;
  return sum;
}

/** Milliseconds of this thread's processor: what others do on the machine does not count. */
export function cpuMs(run: () => unknown): number {
  const began = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1000;
}
