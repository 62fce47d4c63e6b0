/**
 * Runs of workflows: three steps that reach nothing, and three commands of Redis, compared with the same
 * written by hand for the platform's Workflows in the same runtime, and compared with an open durable
 * engine of npm on PostgreSQL: same load, same run, interleaved, medians, as ratios. All three
 * answer when a run has ended, and keep each step on the disk. Many elements, runs and waits are
 * measured by bench/workflow-scale.ts.
 *
 * npm run bench -- workflows [--rounds 3] [--seconds 2]
 */
import { parseArgs } from 'node:util';
import { ownRedis } from '../test/servers/redis-server.ts';
import { cpuSeconds } from './cpu.ts';
import { generateLoad } from './load.ts';
import { tell } from './report.ts';
import { startOurs } from './workflows/ours.ts';
import { type Side, startDurable, startPlatform } from './workflows/sides.ts';

const CONNECTIONS = [1, 16, 64];
/** Inputs of the two workflows that are compared. */
const INPUTS = { pure: { n: 1 }, redis: { key: 'measured', value: 'x'.repeat(100) } } as const;
/** Runs a second, in those of the platform, that are promised. */
const PLATFORM_MIN = 4;
type Name = keyof typeof INPUTS;
const SIDES = ['platform', 'durable', 'ours'] as const;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
  },
});

const redis = await ownRedis({ modules: false });
const ours = await startOurs(redis.url);
try {
  await compareAll();
} finally {
  await ours.stop();
  await redis.stop();
}

async function compareAll(): Promise<void> {
  const platform = await startPlatform(redis.url);
  const durable = await startDurable(redis.url);
  const all = { platform, durable, ours: { ...ours, cpu: () => cpuSeconds(ours.pid) } };
  try {
    console.log(
      '                        runs a second             ours to            p50 ms              CPU ms of a run        CPU of ours to',
    );
    console.log(
      '                   platform durable    ours  platform durable  platform durable    ours  platform durable    ours  platform durable',
    );
    for (const name of ['pure', 'redis'] as const) {
      for (const connections of CONNECTIONS) console.log(await compare(name, connections, all));
    }
  } finally {
    await Promise.all([platform.stop(), durable.stop()]);
  }
}

/** What one side has done in one round. */
interface Measured {
  /** Runs a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  /** Milliseconds of processor time of a run. */
  readonly cpu: number;
}
type Round = Readonly<Record<(typeof SIDES)[number], Measured>>;

async function compare(
  name: Name,
  connections: number,
  sides: Readonly<Record<(typeof SIDES)[number], Side>>,
): Promise<string> {
  const load = { body: JSON.stringify(INPUTS[name]), connections, seconds: Number(values.seconds) };
  const asked = { port: ours.port, path: `/api/v1/workflows/${name}?synchronous=true` };
  const requests = {
    platform: { ...load, port: sides.platform.port, path: `/${name}`, headers: {} },
    durable: { ...load, port: sides.durable.port, path: `/${name}`, headers: {} },
    ours: { ...load, ...asked, headers: ours.headers },
  };
  const rounds: Round[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const measure = async (side: keyof Round): Promise<Measured> => {
      const before = await sides[side].cpu();
      const { throughput, p50, replies } = await generateLoad(requests[side]);
      const used = (await sides[side].cpu()) - before;
      return { rate: throughput, p50, cpu: (used / replies) * 1000 };
    };
    rounds.push({
      platform: await measure('platform'),
      durable: await measure('durable'),
      ours: await measure('ours'),
    });
  }
  report(`${name}, ${connections} at once`, rounds);
  return line(`${name}, ${connections} at once`, rounds);
}

function report(what: string, rounds: readonly Round[]): void {
  const to = (side: 'platform' | 'durable') =>
    rounds.map((round) => round.ours.rate / round[side].rate);
  tell(`${what}: runs a second, to the platform's`, to('platform'), { atLeast: PLATFORM_MIN });
  tell(`${what}: runs a second, to the durable engine's`, to('durable'));
}

function line(what: string, rounds: readonly Round[]): string {
  const middle = (of: (round: Round) => number) =>
    rounds.map(of).toSorted((one, other) => one - other)[Math.floor(rounds.length / 2)] ?? NaN;
  const all = (of: keyof Measured, digits: number) =>
    SIDES.map((side) =>
      middle((round) => round[side][of])
        .toFixed(digits)
        .padStart(8),
    ).join('');
  const ratios = (of: keyof Measured) =>
    (['platform', 'durable'] as const)
      .map((side) =>
        middle((round) => round.ours[of] / round[side][of])
          .toFixed(2)
          .padStart(8),
      )
      .join('');
  return `${what.padEnd(19)}${all('rate', 0)}  ${ratios('rate')}  ${all('p50', 1)}  ${all('cpu', 1)}  ${ratios('cpu')}`;
}
