/** Reports what work costs a processor: on a machine that does other things too, that is steadier than a clock. */
import { readdir, readFile } from 'node:fs/promises';

/** Milliseconds since some moment: differences are what counts. */
export type Watch = () => number | Promise<number>;

/** Processor time of this process. */
export function ownTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Processor time of the edge runtime below this process; the clock's, where that cannot be told. */
export async function watchOfRuntime(): Promise<Watch> {
  const pid = await pidOfRuntime();
  if (pid === undefined) return () => performance.now();
  return async () => {
    const threads = await readdir(`/proc/${pid}/task`);
    const all = threads.map(async (each) => {
      // Nanoseconds on a processor, nanoseconds of waiting for one, and turns.
      const text = await readFile(`/proc/${pid}/task/${each}/schedstat`, 'utf8').catch(() => '0');
      return Number(text.split(' ', 1)[0]) / 1e6;
    });
    return (await Promise.all(all)).reduce((sum, one) => sum + one, 0);
  };
}

async function pidOfRuntime(): Promise<string | undefined> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // Its number, its name in parentheses, its state, its parent.
    const parent = text.slice(text.lastIndexOf(')') + 2).split(' ')[1];
    if (text.includes('(workerd)') && parent === String(process.pid)) return pid;
  }
  return undefined;
}
