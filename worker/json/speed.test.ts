/** A body of ten mebibytes passes each utility in a few times of what an engine's own JSON takes for it. */
import { beforeAll, expect, test } from 'vitest';
import { type Json, parseJson } from '../../proto/json.ts';
import { startGateway, type TestGateway } from '../test/gateway.ts';
import { flatten } from './flatten.ts';

/** As large as a body may be, less what is around it. */
const SIZE = 10 * 1024 * 1024 - 1024;
/**
 * Of what reading and writing the body by the engine takes beside it, in the best round: a machine
 * that does much else slows both. Now it is 6 to 25; what is not linear in the body takes thousands.
 */
const RATIO_MAX = 60;
/** How often the engine does it in a row: once is shorter than another process may have its turn. */
const TIMES = 2;
/** Further rounds are for a machine that was busy in those before. */
const ROUNDS = 3;
/** Far more than it takes: nothing is judged by it. */
const HANG_MS = 600_000;

let gateway: TestGateway;
let bearer: string;
beforeAll(async () => {
  gateway = await startGateway('Read');
  bearer = await gateway.token();
});

function record(at: number): Json {
  return {
    id: crypto.randomUUID(),
    created: new Date(1.7e12 + at * 1000).toISOString(),
    name: `Name ${at}`,
    price: at / 100,
    tags: ['a', 'b', String(at)],
    address: { city: 'Zürich', zip: String(8000 + at) },
  };
}

/** Members until the size is reached. */
function textOf(open: string, part: (at: number) => string, close: string): string {
  const parts: string[] = [];
  for (let size = 0, at = 0; size < SIZE * 0.99; at += 1) {
    const text = part(at);
    parts.push(text);
    size += text.length * 1.01;
  }
  return open + parts.join(',') + close;
}

function flatRecord(at: number): string {
  const members: string[] = [];
  const pieces = flatten(record(at), `users[${at}]`, (path, leaf) => {
    members.push(`${JSON.stringify(path)}:${JSON.stringify(leaf)}`);
  });
  for (const _ of pieces);
  return members.join(',');
}

/** The clock of the runtime stands still between two events. */
async function now(): Promise<number> {
  await scheduler.wait(1);
  return performance.now();
}

/** Milliseconds that the engine's own JSON takes now. */
async function yardstick(body: string): Promise<number> {
  const started = await now();
  for (let time = 0; time < TIMES; time += 1) JSON.stringify(JSON.parse(body));
  return ((await now()) - started) / TIMES;
}

/** How much longer than the yardstick the first round within the bound takes, or else the fastest, and the last reply. */
async function measured(
  operation: string,
  body: string,
): Promise<[ratio: number, reply: Response]> {
  const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: new TextEncoder().encode(body) };
  let least = Number.POSITIVE_INFINITY;
  for (let round = 1; ; round += 1) {
    const before = await yardstick(body);
    const started = await now();
    const reply = await gateway.send(`/json/${operation}`, init);
    const kept = new Response(await reply.arrayBuffer(), reply);
    const taken = (await now()) - started;
    const beside = (before + (await yardstick(body))) / 2;
    least = Math.min(least, taken / beside);
    console.error(`${operation}: ${taken.toFixed(0)} ms beside ${beside.toFixed(0)} ms`);
    if (least < RATIO_MAX || round === ROUNDS) return [least, kept];
  }
}

const RECORDS = textOf('{"users":[', (at) => JSON.stringify(record(at)), ']}');
const search = (path: string) => `{"json":${RECORDS},"paths":${JSON.stringify([path])}}`;

test.each([
  ['flatten', 'all', `{"value":${RECORDS}}`],
  ['unflatten', 'all', textOf('{', flatRecord, '}')],
  ['parse', '$.users[*].name', search('$.users[*].name')],
  ['parse', '$..city', search('$..city')],
  ['parse', '$.users[?@.price > 100].id', search('$.users[?@.price > 100].id')],
  ['parse', 'users/../address/city', search('users/../address/city')],
  ['reduce', '$.users[*].name', search('$.users[*].name')],
  ['reduce', '$..city', search('$..city')],
  ['reduce', 'users/../address/city', search('users/../address/city')],
  ['reduce', '$..*', search('$..*')],
])('%s of %s', { timeout: HANG_MS }, async (operation, _what, body) => {
  const [ratio, reply] = await measured(operation, body);
  const text = await reply.text();
  expect([reply.status, parseJson(text) !== null, body.length > 9_900_000]).toEqual([
    200,
    true,
    true,
  ]);
  expect(ratio).toBeLessThan(RATIO_MAX);
});
