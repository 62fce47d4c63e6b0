/**
 * What expressions cost: 1,000 records with ten expressions each, compared with the same in JavaScript as
 * one would write it by hand, and in jsonata. One process, best of many rounds.
 *
 * npm run bench -- expressions [--rounds 200]
 */
import { parseArgs } from 'node:util';
import jsonata from 'jsonata';
import { Budget, compileExpression, type Value } from '../worker/language/expressions/index.ts';
import { tell } from './report.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '200' } } });
const ROUNDS = Number(values.rounds);
const JSONATA_ROUNDS = 5;

/** An alias, because interfaces are not taken for objects of any members. */
type Item = { price: number; qty: number };

const record = (index: number) => ({
  id: index,
  first: `Ann${index}`,
  last: ' Lee ',
  email: `A${index}@X.org`,
  active: index % 2 === 0,
  price: index * 1.5,
  tags: ['a', 'b'],
  items: [1, 2, 3].map((each): Item => ({ price: each + 1, qty: index % (each + 2) })),
  address: { city: 'Ulm', zip: '89073' },
});
type Order = ReturnType<typeof record>;
const records = Array.from({ length: 1000 }, (_, index) => record(index));

interface Mapping {
  readonly source: string;
  readonly byHand: (record: Order) => unknown;
  readonly jsonata: string;
}

const MAPPINGS: readonly Mapping[] = [
  { source: 'id + 1', byHand: (r) => r.id + 1, jsonata: 'id + 1' },
  {
    source: ['`$', '{first} $', '{last.trim()}`'].join(''),
    byHand: (r) => `${r.first} ${r.last.trim()}`,
    jsonata: 'first & " " & $trim(last)',
  },
  {
    source: 'email.toLowerCase()',
    byHand: (r) => r.email.toLowerCase(),
    jsonata: '$lowercase(email)',
  },
  {
    source: 'active ? "yes" : "no"',
    byHand: (r) => (r.active ? 'yes' : 'no'),
    jsonata: 'active ? "yes" : "no"',
  },
  {
    source: 'Math.round(price * 100) / 100',
    byHand: (r) => Math.round(r.price * 100) / 100,
    jsonata: '$round(price, 2)',
  },
  { source: 'tags.join(",")', byHand: (r) => r.tags.join(','), jsonata: '$join(tags, ",")' },
  {
    source: 'items.map(i => i.price * i.qty).reduce((a, b) => a + b, 0)',
    byHand: (r) => r.items.map((i) => i.price * i.qty).reduce((a, b) => a + b, 0),
    jsonata: '$sum(items.(price * qty))',
  },
  {
    source: 'address.city + " " + address.zip',
    byHand: (r) => `${r.address.city} ${r.address.zip}`,
    jsonata: 'address.city & " " & address.zip',
  },
  {
    source: 'items.filter(i => i.qty > 1).length',
    byHand: (r) => r.items.filter((i) => i.qty > 1).length,
    jsonata: '$count(items[qty > 1])',
  },
  {
    source: '{id, city: address?.city ?? "-", total: price * 1.19}',
    byHand: (r) => ({ id: r.id, city: r.address?.city ?? '-', total: r.price * 1.19 }),
    jsonata: '{"id": id, "city": address.city, "total": price * 1.19}',
  },
];

const expressions = MAPPINGS.map(({ source }) =>
  compileExpression(source, { names: ['$', 'parameters'], members: '$' }),
);
const others = MAPPINGS.map((each) => jsonata(each.jsonata));
let sink: unknown;

function ours(): void {
  const budget = new Budget({ fuel: 100_000_000, depth: 200, outputBytes: 32 * 2 ** 20 });
  for (const each of records) {
    const given: Value[] = [each, undefined];
    for (const expression of expressions) sink = expression.run(given, budget);
  }
}

function byHand(): void {
  for (const each of records) for (const mapping of MAPPINGS) sink = mapping.byHand(each);
}

async function byJsonata(): Promise<void> {
  for (const each of records) for (const other of others) sink = await other.evaluate(each);
}

const LOOP = compileExpression(
  '(() => { let sum = 0; for (let i = 0; i < 1000000; i++) { sum += i % 7 } return sum })()',
);
function loop(): void {
  sink = LOOP.run([], new Budget({ fuel: 100_000_000, depth: 10, outputBytes: 2 ** 20 }));
}

async function best(rounds: number, run: () => void | Promise<void>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    await run();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

const [mine, hand, other, looped] = [
  await best(ROUNDS, ours),
  await best(ROUNDS, byHand),
  await best(JSONATA_ROUNDS, byJsonata),
  await best(JSONATA_ROUNDS, loop),
];
const row = (name: string, ms: number) =>
  console.log(
    `${name.padEnd(12)} ${ms.toFixed(3).padStart(9)} ms  ${(ms / hand).toFixed(2)} × by hand`,
  );
row('expressions', mine);
row('by hand', hand);
row('jsonata', other);
tell('expressions to the same by hand', [mine / hand]);
tell('jsonata to expressions', [other / mine]);
console.log(`jsonata takes ${(other / mine).toFixed(0)} times as long as expressions.`);
console.log(`A loop of 1,000,000 rounds of five operations: ${looped.toFixed(1)} ms.`);
if (sink === records) throw new Error('nothing was measured');
