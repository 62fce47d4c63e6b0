/** Schedules tick when an independent calculation says so, over ten years and all changes of clocks. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Failure } from '../../../server/failure.ts';
import { Calendar } from '../../../worker/schedules/calendar.ts';
import { downloaded } from '../../servers/downloads.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { type Case, casesOf } from './cases.ts';

const PACKAGES = ['croniter==6.0.0', 'tzdata==2025.2'];
const PROGRAM = join(import.meta.dirname, 'expected.py');
const TOLD_EVERY = 500;
const run = promisify(execFile);

/** What the other calculation answers: the first ticks in seconds. */
interface Expected {
  readonly count: number;
  readonly digest: string;
  readonly first: readonly number[];
}

export const proof: Proof = {
  promise:
    'A schedule ticks when croniter and zoneinfo say so: once in an hour that does not exist, once in one that comes twice.',
  count: 5_000,
  async run({ seed, count, progress }: ProofOptions): Promise<ProofResult> {
    const python = join(await downloaded('croniter-6.0.0', install), 'bin/python');
    const child = spawn(python, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const faults: string[] = [];
    let [cases, ticks] = [0, 0];
    try {
      for (const each of casesOf(seed)) {
        if (cases === count) break;
        child.stdin.write(`${JSON.stringify(each)}\n`);
        const { value, done } = await lines.next();
        if (done) throw new Failure(`${PROGRAM} ended`);
        const fault = compare(each, JSON.parse(value) as Expected); // As expected.py writes it.
        if (fault !== undefined) faults.push(fault);
        cases += 1;
        ticks += ticksOf(each).length;
        if (cases % TOLD_EVERY === 0) progress(`${cases} schedules, ${ticks} ticks`);
      }
    } finally {
      child.kill();
    }
    return { cases, faults, figures: { ticks } };
  },
};

/** Our own ticks, in seconds. */
export function ticksOf({ line, zone, from, until }: Case): number[] {
  const calendar = new Calendar(line, zone);
  const found: number[] = [];
  for (
    let tick = calendar.next(from);
    tick !== undefined && tick <= until;
    tick = calendar.next(tick)
  ) {
    found.push(tick / 1000);
  }
  return found;
}

function compare(each: Case, { count, digest, first }: Expected): string | undefined {
  const ticks = ticksOf(each);
  if (createHash('sha256').update(ticks.join(',')).digest('hex') === digest) return undefined;
  const at = first.findIndex((tick, index) => ticks[index] !== tick);
  const shown = (tick: number | undefined) =>
    tick === undefined ? 'none' : new Date(tick * 1000).toISOString();
  return `${JSON.stringify(each)}: ${ticks.length} ticks, not ${count}; the first that differs is ${shown(ticks[at])}, not ${shown(first[at])}`;
}

async function install(folder: string): Promise<void> {
  try {
    await run('python3', ['-m', 'venv', folder]);
    const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES];
    await run(join(folder, 'bin/python'), args);
  } catch (cause) {
    const message = `${PACKAGES.join(', ')} could not be installed: this needs Python 3.9 with venv, and PyPI.`;
    throw new Failure(message, { cause });
  }
}
