/**
 * A first start after `npm ci`, compared with the second one of the same data folder: seconds until `npm start`
 * greets, with the demo and without, medians of all rounds.
 *
 * npm run bench -- start [--rounds 3]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { ROOT } from '../server/bundle.ts';
import { median, tell } from './report.ts';

/** The first line of what a start prints when all is ready. */
const READY = /^Causeway answers at /;

/** Seconds in which a first start with the demo is to greet. */
const FIRST_MAX_S = 5;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });

console.log('             first s  second s  ratio');
for (const flags of [['--demo'], []]) {
  const [first, second]: number[][] = [[], []];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const data = await mkdtemp(join(tmpdir(), 'causeway-bench-start-'));
    try {
      first?.push(await secondsOf([...flags, '--data', join(data, 'data')]));
      second?.push(await secondsOf([...flags, '--data', join(data, 'data')]));
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  }
  const [one, other] = [median(first ?? []), median(second ?? [])];
  const name = flags.length > 0 ? 'with --demo' : 'without';
  tell(`${name}: first start to the second`, ratios(first, second));
  tell(`${name}: first start`, first ?? [], {
    unit: 's',
    ...(flags.length > 0 && { atMost: FIRST_MAX_S }),
  });
  const cells = [one.toFixed(2).padStart(7), other.toFixed(2).padStart(9)];
  console.log(`${name.padEnd(13)}${cells.join(' ')}  ${(one / other).toFixed(2).padStart(5)}`);
}

/** Seconds from `npm start` to its greeting; stops it then. */
async function secondsOf(flags: readonly string[]): Promise<number> {
  const began = performance.now();
  const ports = ['--port', '0', '--relay-port', '0'];
  const child = spawn('npm', ['start', '--', ...ports, ...flags], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true, // npm and what it starts are told together.
  });
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) if (READY.test(line)) break;
  const seconds = (performance.now() - began) / 1000;
  if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
  process.kill(-(child.pid ?? 0), 'SIGTERM');
  await ended;
  return seconds;
}

function ratios(first: readonly number[] = [], second: readonly number[] = []): number[] {
  return first.map((each, round) => each / (second[round] ?? Number.NaN));
}
