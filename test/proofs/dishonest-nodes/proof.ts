/** The proof that a node of an organization's own harms nobody and speaks for nobody, whatever it answers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LINE_MAX_BYTES } from '../../../proto/log-line.ts';
import { TOLD_BY_RELAYS } from '../../../worker/drivers/errors.ts';
import { type OwnGateway, startGateway } from '../../gateway.ts';
import { newOrganization, type Organization } from '../../organization.ts';
import { placeOn } from '../../relay-node.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';
import { type DishonestNode, startDishonestNode } from './node.ts';
import { lieOf, MARK } from './replies.ts';

/** Milliseconds within which a neighbour is served. */
const NEIGHBOUR_MAX_MS = 2_000;
/** Between two calls of the neighbour, in milliseconds. */
const NEIGHBOUR_EACH_MS = 50;
/** Sentences of progress come after so many cases. */
const TOLD_AFTER = 100;
const INTERNAL = 500;

/** What it takes part in. */
interface Stage {
  readonly gateway: OwnGateway;
  readonly organization: Organization;
  readonly neighbour: Organization;
  readonly node: DishonestNode;
}

async function run({ seed, count, progress }: ProofOptions): Promise<ProofResult> {
  const gateway = await startGateway();
  const organization = await newOrganization(gateway);
  const node = await startDishonestNode(organization);
  const stage = { gateway, organization, neighbour: await newOrganization(gateway), node };
  const faults: string[] = [];
  const figures: Record<string, number> = {};
  const watching = new AbortController();
  try {
    await prepare(stage);
    const watched = watchNeighbour(stage, watching.signal);
    for (let at = 0; at < count; at += 1) {
      const { name, answer } = lieOf(new Choices(seed * 1_000_003 + at));
      node.answers = answer;
      for (const [what, status, text] of await callsOf(stage, at)) {
        figures[`status ${status}`] = (figures[`status ${status}`] ?? 0) + 1;
        const fault = faultOf(status, text);
        if (fault) faults.push(`case ${at}, ${what}, ${name}: ${fault}`);
      }
      if (at % TOLD_AFTER === 0) progress(`${at} of ${count}`);
    }
    watching.abort();
    const { longestMs, failed } = await watched;
    figures['neighbour waited at most, ms'] = longestMs;
    if (longestMs > NEIGHBOUR_MAX_MS) faults.push(`a neighbour waited ${longestMs} ms`);
    faults.push(...failed, ...longLines(gateway));
    return { cases: count, faults, figures };
  } finally {
    watching.abort();
    node.stop();
    await gateway.stop();
  }
}

async function prepare({ organization, node }: Stage): Promise<void> {
  const connection = { url: 'postgresql://u:p@10.99.99.99:5432/db' };
  node.answers = (method) =>
    method === 'Ping'
      ? { status: 200, type: 'application/proto', body: new Uint8Array() }
      : undefined;
  const made = await organization.call('POST', '/endpoints', {
    ...{ endpoint: 'lies', kind: 'postgres' },
    config: { write_conn: connection, vpn_route: node.uuid },
  });
  if (made.status !== 200) throw new Error(JSON.stringify(made.body));
  await placeOn(organization.call, 'lies', node.uuid);
  const template = {
    id: 'asks',
    request: 'Read',
    template: { endpoint: 'lies', query: 'select 1' },
  };
  const stored = await organization.call('POST', '/templates', template);
  if (stored.status !== 200) throw new Error(JSON.stringify(stored.body));
}

type Called = readonly [what: string, status: number, text: string];

/** One call of each sort. */
async function callsOf({ organization, gateway }: Stage, at: number): Promise<Called[]> {
  const [read, write] = [{ query: 'select 1' }, { query: 'insert into t values (1)' }];
  const calls: readonly (readonly [string, string, unknown, Record<string, string>?])[] = [
    ['POST', '/endpoints/lies/read', read],
    ['POST', '/endpoints/lies/read', read, { Accept: 'application/x-ndjson' }],
    ['POST', '/endpoints/lies/write', write],
    ['POST', '/endpoints/lies/write', write, { 'Idempotency-Key': `case-${at}` }],
    ['POST', '/endpoints/lies/transaction', { operations: [write] }],
    ['POST', '/endpoints/lies/sessions', {}],
    ['POST', '/endpoints/lies/test', undefined],
    ['POST', '/templates/asks', {}],
    ['POST', '/transactions', { operations: [{ endpoint: 'lies', ...write }] }],
    ['GET', `/endpoints/lies/schema?limit=${1 + (at % 1_000)}`, undefined],
  ];
  return Promise.all(
    calls.map(async ([method, path, body, more]): Promise<Called> => {
      // biome-ignore lint/style/noRestrictedGlobals: a node may name a code that another operation has; what is told is looked at here.
      const reply = await fetch(`${gateway.url}/api/v1${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${organization.token}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...more,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await reply.text().catch(() => 'broke off');
      return [`${method} ${path}`, reply.status, text];
    }),
  );
}

/** What is wrong with a reply. */
function faultOf(status: number, text: string): string | undefined {
  const shown = text.slice(0, 300);
  if (status === INTERNAL) return `is 500: ${shown}`;
  const isJson = isJsonText(text);
  if (!isJson) return `is no JSON: ${status} ${shown}`;
  if (!text.includes(MARK)) return undefined;
  const { code } = JSON.parse(text) as { code?: string };
  const isSaid = TOLD_BY_RELAYS.some((each) => each === code);
  return isSaid ? undefined : `has a text of the node: ${status} ${shown}`;
}

/** Also of lines. */
function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Another organization calls all the time. */
async function watchNeighbour({ neighbour }: Stage, until: AbortSignal) {
  let longestMs = 0;
  const failed: string[] = [];
  while (!until.aborted) {
    const started = performance.now();
    const { status } = await neighbour.call('GET', '/endpoints');
    longestMs = Math.max(longestMs, Math.round(performance.now() - started));
    if (status !== 200) failed.push(`a neighbour was answered ${status}`);
    await sleep(NEIGHBOUR_EACH_MS);
  }
  return { longestMs, failed };
}

function longLines({ output }: OwnGateway): string[] {
  const lines = `${output.stderr()}\n${output.stdout()}`.split('\n');
  const long = lines.filter((line) => Buffer.byteLength(line) > LINE_MAX_BYTES + 100);
  return long.map(
    (line) => `a line of the log has ${line.length} characters: ${line.slice(0, 100)}`,
  );
}

/** `npm run prove -- dishonest-nodes`. */
export const proof: Proof = {
  promise:
    "A node of an organization's own harms nobody and speaks for nobody, whatever it answers.",
  count: 1_000,
  run,
};
