/** What processes of one program keep in memory. Linux only. */
import { readdir, readFile } from 'node:fs/promises';

/** Bytes resident of all processes of a program below a process. */
export async function residentBytes(pid: number, program: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const seen = await Promise.all(
    pids.map(async (each) => {
      const text = await readFile(`/proc/${each}/status`, 'utf8').catch(() => '');
      const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(text)?.[1];
      return {
        pid: Number(each),
        parent: Number(field('PPid')),
        isIt: field('Name') === program,
        bytes: Number(field('VmRSS') ?? 0) * 1024,
      };
    }),
  );
  const below = (root: number): number =>
    seen
      .filter(({ parent }) => parent === root)
      .reduce((sum, each) => sum + (each.isIt ? each.bytes : 0) + below(each.pid), 0);
  return below(pid);
}
