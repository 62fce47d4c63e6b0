/**
 * What a template costs compared with jsonata and beside JavaScript written by hand, which do the same
 * mapping: in one process, and in the edge runtime; then a small run through the whole gateway compared with
 * operations that do nothing. Same run, interleaved, medians; the processor's time, not the clock's.
 * All three make the same JSON, or nothing is measured.
 *
 * npm run bench -- templates [--rounds 25] [--records 1,10,100,1000] [--seconds 2] [--connections 32]
 * Of --seconds 0, nothing is measured through the gateway.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { tell } from './report.ts';
import { build, repeatHere } from './templates/build.ts';
import { NAMES } from './templates/names.ts';
import { type Costs, costs, type Repeat } from './templates/rounds.ts';
import { showThrough } from './templates/through.ts';
import { ownTime, type Watch, watchOfRuntime } from './templates/watch.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '25' },
    records: { type: 'string', default: '1,10,100,1000' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '32' },
  },
});
/** How often as long jsonata has to take as a template, of so many records and more. */
const [TIMES_MIN, RECORDS_MIN] = [50, 100];
/** Of some seconds each. */
const THROUGH_ROUNDS = 7;
const sizes = values.records.split(',').map(Number);

const code = await build();
const [busy = 0] = loadavg();
if (busy > 1)
  console.log(`This machine is busy (load ${busy.toFixed(1)}): only ratios mean anything.`);
console.log(
  `${'where'.padEnd(14)}${'records'.padStart(8)}${NAMES.map((name) => `${name} ms`.padStart(14)).join('')}  of by hand  times jsonata`,
);
const here = await repeatHere(code);
await show('this process', here, ownTime);
const runtime = new Miniflare(
  convertV4MiniflareOptions({
    telemetry: { enabled: false },
    modules: [{ type: 'ESModule', path: 'index.js', contents: code }],
    compatibilityDate: '2026-10-01',
    compatibilityFlags: ['nodejs_compat'],
  }),
);
try {
  const url = await runtime.ready;
  const ask: Repeat = async (name, records, times) => {
    const query = new URLSearchParams({ name, records: String(records), times: String(times) });
    const reply = await fetch(`${url.href}?${query}`);
    if (!reply.ok) throw new Error(await reply.text());
  };
  await show('edge runtime', ask, await watchOfRuntime());
} finally {
  await runtime.dispose();
}
const seconds = Number(values.seconds);
if (seconds > 0) {
  console.log('\nThrough the gateway:');
  const [rounds, connections] = [THROUGH_ROUNDS, Number(values.connections)];
  await showThrough({ rounds, seconds, connections });
}

async function show(where: string, repeat: Repeat, watch: Watch): Promise<void> {
  for (const records of sizes) {
    const cost = await costs(repeat, watch, records, Number(values.rounds));
    const told = records >= RECORDS_MIN ? { atLeast: TIMES_MIN } : {};
    tell(`${where}, ${records} records: jsonata's time to a template's`, cost.jsonataRounds, told);
    console.log(line(where, records, cost));
  }
}

function line(where: string, records: number, { ms, ofByHand, timesJsonata }: Costs): string {
  const milliseconds = NAMES.map((name) => ms[name].toFixed(4).padStart(14)).join('');
  return `${where.padEnd(14)}${String(records).padStart(8)}${milliseconds}${ofByHand.toFixed(2).padStart(12)}${timesJsonata.toFixed(0).padStart(15)}`;
}
