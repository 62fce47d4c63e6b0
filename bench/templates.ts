/**
 * What a template costs beside jsonata and beside JavaScript written by hand, which do the same
 * mapping: in one process, and in the edge runtime; then a small run through the whole gateway beside
 * operations that do nothing. Same run, interleaved, medians. All three make the same JSON, or
 * nothing is measured.
 *
 * node scripts/run.mjs bench/templates.ts [--rounds 7] [--records 10,100,1000] [--seconds 2] [--connections 32]
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { build, repeatHere } from './templates/build.ts';
import { NAMES } from './templates/names.ts';
import { type Cost, costs, type Repeat } from './templates/rounds.ts';
import { showThrough } from './templates/through.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    records: { type: 'string', default: '10,100,1000' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '32' },
  },
});
const sizes = values.records.split(',').map(Number);

const code = await build();
const [busy = 0] = loadavg();
if (busy > 1)
  console.log(`This machine is busy (load ${busy.toFixed(1)}): only ratios mean anything.`);
console.log(
  `${'where'.padEnd(14)}${'records'.padStart(8)}${NAMES.map((name) => `${name} ms`.padStart(14)).join('')}  of by hand  times jsonata`,
);
const here = await repeatHere(code);
await show('this process', here);
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
  await show('edge runtime', async (name, records, times) => {
    const query = new URLSearchParams({ name, records: String(records), times: String(times) });
    const reply = await fetch(`${url.href}?${query}`);
    if (!reply.ok) throw new Error(await reply.text());
  });
} finally {
  await runtime.dispose();
}
console.log('\nThrough the gateway:');
await showThrough({
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  connections: Number(values.connections),
});

async function show(where: string, repeat: Repeat): Promise<void> {
  for (const records of sizes) {
    const cost = await costs(repeat, records, Number(values.rounds));
    console.log(line(where, records, cost));
  }
}

function line(where: string, records: number, cost: Cost): string {
  const milliseconds = NAMES.map((name) => cost[name].toFixed(4).padStart(14)).join('');
  const [slower, faster] = [cost.template / cost['by hand'], cost.jsonata / cost.template];
  return `${where.padEnd(14)}${String(records).padStart(8)}${milliseconds}${slower.toFixed(2).padStart(12)}${faster.toFixed(0).padStart(15)}`;
}
