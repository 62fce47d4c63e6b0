/** What processes have used of the processors. Linux only. */
import { readdir, readFile } from 'node:fs/promises';

/** Of a second; what Linux counts in, everywhere. */
const TICKS = 100;

interface Seen {
  readonly program: string;
  readonly parent: number;
  readonly seconds: number;
}

/** Seconds that a process and all below it have used so far; children that have ended count with their parents. */
export async function cpuSeconds(pid: number): Promise<number> {
  return usedBelow(await seen(), pid, () => true);
}

/** Seconds that all processes of a program below a process have used so far. */
export async function programSeconds(pid: number, program: string): Promise<number> {
  return usedBelow(await seen(), pid, (each) => each.program === program);
}

/** Processes of a program below a process whose command line holds `what`. */
export async function pidsOf(pid: number, program: string, what: string): Promise<number[]> {
  const all = await seen();
  const below = (each: number): number[] =>
    [...all].flatMap(([id, { parent }]) => (parent === each ? [id, ...below(id)] : []));
  const found = below(pid).filter((each) => all.get(each)?.program === program);
  const lines = await Promise.all(
    found.map((each) => readFile(`/proc/${each}/cmdline`, 'utf8').catch(() => '')),
  );
  return found.filter((_, index) => lines[index]?.includes(what));
}

async function seen(): Promise<ReadonlyMap<number, Seen>> {
  const all = new Map<number, Seen>();
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  await Promise.all(
    pids.map(async (each) => {
      const text = await readFile(`/proc/${each}/stat`, 'utf8').catch(() => '');
      // The program's name is in parentheses and may hold anything.
      const end = text.lastIndexOf(')');
      const fields = text.slice(end + 2).split(' ');
      if (fields.length < 15) return;
      const used = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      const program = text.slice(text.indexOf('(') + 1, end);
      all.set(each, { program, parent: Number(fields[1]), seconds: used / TICKS });
    }),
  );
  return all;
}

function usedBelow(
  all: ReadonlyMap<number, Seen>,
  root: number,
  counts: (each: Seen) => boolean,
): number {
  const own = all.get(root);
  let total = own && counts(own) ? own.seconds : 0;
  for (const [each, { parent }] of all) if (parent === root) total += usedBelow(all, each, counts);
  return total;
}
