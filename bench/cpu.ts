/** What processes have used of the processors. Linux only. */
import { readdir, readFile } from 'node:fs/promises';

/** Of a second; what Linux counts in, everywhere. */
const TICKS = 100;

interface Seen {
  readonly parent: number;
  readonly seconds: number;
}

/** Seconds that a process and all below it have used so far; children that have ended count with their parents. */
export async function cpuSeconds(pid: number): Promise<number> {
  const seen = new Map<number, Seen>();
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  await Promise.all(
    pids.map(async (each) => {
      const text = await readFile(`/proc/${each}/stat`, 'utf8').catch(() => '');
      // The program's name is in parentheses and may hold anything.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      if (fields.length < 15) return;
      const used = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      seen.set(each, { parent: Number(fields[1]), seconds: used / TICKS });
    }),
  );
  const below = (root: number): number => {
    let total = seen.get(root)?.seconds ?? 0;
    for (const [each, { parent }] of seen) if (parent === root) total += below(each);
    return total;
  };
  return below(pid);
}
