/** The three contestants of bench/templates.ts in one module, for this process and for the edge runtime. */
import jsonata from 'jsonata';
import type { Json } from '../../proto/json.ts';
import { Budget } from '../../worker/language/expressions/index.ts';
import type { Run } from '../../worker/templates/compiled.ts';
import { readTransformation } from '../../worker/templates/transformation/index.ts';
import { byHand, DEFINITION, type Input, inputOf, JSONATA } from './mapping.ts';
import { NAMES, type Name } from './names.ts';

const { compiled, faults } = readTransformation(DEFINITION);
if (compiled === undefined) throw new Error(JSON.stringify(faults));
const template = compiled;
const other = jsonata(JSONATA);

const contestants: Readonly<Record<Name, (input: Input, signal: AbortSignal) => unknown>> = {
  template: (input, signal) => template.run(input as unknown as Json, newRun(signal)), // It is of JSON.
  'by hand': byHand,
  jsonata: (input) => other.evaluate(input),
};

const kept: unknown[] = [undefined, undefined];
const inputs = new Map<number, Input>();

/** Runs one of them so many times; answers the last output. */
export async function repeat(name: Name, records: number, times: number): Promise<unknown> {
  const input = inputs.get(records) ?? inputOf(records);
  inputs.set(records, input);
  const contestant = contestants[name];
  const { signal } = new AbortController();
  let output: unknown;
  for (let time = 0; time < times; time += 1) {
    output = contestant(input, signal);
    if (output instanceof Promise) output = await output;
    // Somebody may look at it: nothing that makes it can be left out.
    kept[time % kept.length] = output;
  }
  return output;
}

function newRun(signal: AbortSignal): Run {
  return {
    budget: new Budget({ fuel: 10_000_000, depth: 200, outputBytes: 32 * 2 ** 20 }),
    parameters: {},
    parametersAreTexts: false,
    signal,
    nested: refuse,
    send: refuse,
    transact: refuse,
  };
}

function refuse(): never {
  throw new Error('This template reaches nothing');
}

/** The worker: `/?name=template&records=10&times=100`. Its clock stands still, so its caller has the watch. */
// biome-ignore lint/style/noDefaultExport: so does the runtime take a worker.
export default {
  async fetch(request: Request): Promise<Response> {
    const query = new URL(request.url).searchParams;
    const name = NAMES.find((each) => each === query.get('name')) ?? 'template';
    await repeat(name, Number(query.get('records')), Number(query.get('times')));
    return new Response(String(kept.length));
  },
};
