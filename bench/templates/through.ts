/** What a run costs through the whole gateway, compared with operations that are authorized and do nothing. */
import { generateLoad, type Measured } from '../load.ts';
import { startPair } from '../pair.ts';
import { median, tell } from '../report.ts';

/** How it is measured. */
interface Effort {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
}

interface Contestant {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: string;
}

const SMALL = {
  name: 'Small',
  transformationRules: [
    { target: 'customer', source: 'customer.name', transformers: ['trim'] },
    { target: 'total', expression: 'items.reduce((sum, item) => sum + item.price, 0)' },
  ],
};
const INPUT = { customer: { name: ' Ada ' }, items: [{ price: 1 }, { price: 2 }] };
const RUN: Contestant = {
  name: 'a run of a small template',
  method: 'POST',
  path: '/templates/small',
  body: JSON.stringify(INPUT),
};
/** Baselines by name: they call no server. */
const EMPTY: readonly Contestant[] = [
  { name: 'POST /json/flatten of {}', method: 'POST', path: '/json/flatten', body: '{"json":{}}' },
  { name: 'GET /help', method: 'GET', path: '/help', body: '' },
];

/** Prints throughputs, and the run's as a share of each baseline's. */
export async function showThrough({ rounds, seconds, connections }: Effort): Promise<void> {
  const pair = await startPair();
  try {
    const headers = { Authorization: `Bearer ${pair.token}` };
    const made = await fetch(`http://127.0.0.1:${pair.guardedPort}/api/v1/templates`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(SMALL),
    });
    if (!made.ok) throw new Error(await made.text());
    const load = ({ method, path, body }: Contestant) =>
      generateLoad({
        port: pair.guardedPort,
        method,
        path: `/api/v1${path}`,
        headers,
        body,
        connections,
        seconds,
      });
    const all = [RUN, ...EMPTY];
    const taken = new Map<Contestant, Measured[]>(all.map((each) => [each, []]));
    for (const each of all) await load(each);
    for (let round = 0; round < rounds; round += 1) {
      for (const [place] of all.entries()) {
        const each = all[(place + round) % all.length] ?? RUN;
        taken.get(each)?.push(await load(each));
      }
    }
    for (const each of all) show(each, taken.get(each) ?? [], taken.get(RUN) ?? []);
  } finally {
    await pair.stop();
  }
}

function show({ name }: Contestant, own: readonly Measured[], runs: readonly Measured[]): void {
  const shares = own.map(({ throughput }, round) => (runs[round]?.throughput ?? 0) / throughput);
  if (name !== RUN.name) tell(`through the gateway: a template's run to ${name}`, shares);
  console.log(
    `${name.padEnd(28)}${median(own.map((each) => each.throughput))
      .toFixed(0)
      .padStart(
        8,
      )}/s  p50 ${median(own.map((each) => each.p50)).toFixed(2)} ms  the run has ${median(shares).toFixed(2)} of it`,
  );
}
