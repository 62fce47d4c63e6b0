/** A whole run of the benchmarks: every one has its place in it, and the page says what was found, missed, and not measured. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../bench/report.ts';
import { measure, type Outcome } from '../bench/whole/measure.ts';
import { PLAN } from '../bench/whole/plan.ts';
import { type Machine, resultsPage } from '../bench/whole/results.ts';
import { runScript } from './gateway.ts';
import { childrenOf } from './processes.ts';

const MACHINE: Machine = {
  day: '2026-01-02',
  commit: 'abcdef01',
  processor: 'A processor',
  processors: 2,
  memoryGiB: 23.4,
  system: 'Linux 6',
  load: 0.1,
  versions: { 'Node.js': '24.0.0', workerd: '1.2' },
};

const outcome = (findings: readonly Finding[], failure?: string): Outcome => ({
  name: 'read',
  flags: ['--seconds', '1'],
  secondsMax: 90,
  seconds: 12,
  findings,
  failure,
});

test('takes less than half an hour, and leaves no measurement out', async () => {
  const total = PLAN.reduce((sum, { secondsMax }) => sum + secondsMax, 0);
  expect(total).toBeLessThanOrEqual(30 * 60);
  const run = runScript('bench/run.ts', ['--help']);
  expect(await run.ended).toEqual({ code: 0, signal: null });
  const listed = [...run.output.stdout().matchAll(/^ {2}([\w-]+) \[/gm)].map(([, name]) => name);
  expect(PLAN.map(({ name }) => name).toSorted()).toEqual(listed);
});

test('tells median, least and most of the rounds, and marks what misses its bar', () => {
  const page = resultsPage(MACHINE, [
    outcome([
      { what: 'to the bare pair', unit: '', values: [0.5, 0.9, 0.7], atLeast: 0.75 },
      { what: 'added p50', unit: 'ms', values: [0.2, 0.31, 0.25], atMost: 0.3 },
      { what: 'a | b', unit: 'us', values: [1234.5] },
      { what: 'nothing is lost', unit: 'holds', values: [0], atLeast: 1 },
    ]),
  ]);
  expect(
    page.slice(page.indexOf('2026')),
  ).toBe(`2026-01-02, commit abcdef01. 2 × A processor, 23 GiB, Linux 6; the load generator, the databases and
all that is measured share it. Node.js 24.0.0, workerd 1.2.

**2 of 3 bars are missed.** It took 0 minutes.

## read

\`npm run bench -- read --seconds 1\`, 12 s.

| what | median | least | most | rounds | bar | |
|---|---|---|---|---|---|---|
| to the bare pair | 0.70 | 0.50 | 0.90 | 3 | at least 0.75 | **missed** |
| added p50 | 0.25 ms | 0.20 ms | 0.31 ms | 3 | at most 0.30 ms |  |
| a \\| b | 1235 us | 1235 us | 1235 us | 1 |  |  |
| nothing is lost | does not hold | | | | holds | **missed** |
`);
});

test('says that the machine was busy, and what could not be measured', () => {
  const page = resultsPage({ ...MACHINE, load: 1.9 }, [outcome([], 'There is no Docker here.')]);
  expect(page).toContain(
    '**The machine was busy: its load was 1.9 before the first measurement.**',
  );
  expect(page).toContain('1 of 1 measurements did not end well.');
  expect(page).toContain('**Not measured to its end here:** There is no Docker here.');
});

test.each([
  [
    'keeps what was found when a promise does not hold',
    `import { tell, tellHolds } from '${join(import.meta.dirname, '../bench/report.ts')}';
     tell('a ratio', [1, 2], { atMost: 3 });
     console.error('{"level":"info","message":"relay stopped"}');
     tellHolds('all is well', false);`,
    {
      failure: undefined,
      findings: [
        { what: 'a ratio', unit: '', values: [1, 2], atMost: 3 },
        { what: 'all is well', unit: 'holds', values: [0], atLeast: 1 },
      ],
    },
  ],
  [
    'says why one could not run',
    `throw new Error('There is no Cassandra for this machine');`,
    { failure: 'Error: There is no Cassandra for this machine', findings: [] },
  ],
  [
    'says what was told without a number, and goes on',
    `import { tell } from '${join(import.meta.dirname, '../bench/report.ts')}';
     tell('nothing over nothing', [0 / 0]);
     tell('a ratio', [1]);`,
    {
      failure: 'Told without a number: {"what":"nothing over nothing","unit":"","values":[null]}',
      findings: [{ what: 'a ratio', unit: '', values: [1] }],
    },
  ],
  [
    'ends one that takes too long, and keeps what it had found',
    `import { tell } from '${join(import.meta.dirname, '../bench/report.ts')}';
     tell('the first', [1]);
     setInterval(() => {}, 1000);`,
    {
      failure: 'It did not end in 2 s.',
      findings: [{ what: 'the first', unit: '', values: [1] }],
    },
  ],
])('%s', async (_, script, expected) => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'measurement.ts');
  await writeFile(file, script);
  const found = await measure([file], { name: 'some', flags: [], secondsMax: 2 });
  expect(found).toMatchObject(expected);
});

test('that is stopped ends what it measures', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'RESULTS.md');
  const run = runScript('bench/run.ts', ['--of', 'schedules', '--results', file]);
  const isMeasuring = (command: string) => command.includes('run.ts schedules --schedules 200');
  const measuring = () => childrenOf(process.pid).filter(({ command }) => isMeasuring(command));
  await expect.poll(() => measuring().length).toBe(1);
  const [{ pid } = { pid: 0 }] = measuring();
  run.process.kill('SIGTERM');
  expect(await run.ended).toMatchObject({ code: 1 });
  const isThere = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await expect.poll(isThere).toBe(false);
});

test('writes the page of those that are named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'RESULTS.md');
  const run = runScript('bench/run.ts', ['--of', 'expressions', '--results', file]);
  expect(await run.ended).toEqual({ code: 0, signal: null });
  const page = await readFile(file, 'utf8');
  expect(page.match(/^## .*$/gm)).toEqual(['## expressions']);
  expect(page).toMatch(/^\| expressions to the same by hand \| \d/m);
});
