/** The proof that a node of an organization's own harms nobody and speaks for nobody, whatever it answers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LINE_MAX_BYTES } from '../../../proto/log-line.ts';
import { TOLD_BY_RELAYS } from '../../../worker/drivers/errors.ts';
import { type OwnGateway, startGateway } from '../../gateway.ts';
import { newOrganization, type Organization } from '../../organization.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';
import { BROKEN, type Called, callsOf, EVENTS, prepare, ROWS } from './calls.ts';
import { MARK } from './fields.ts';
import { startDishonestNode } from './node.ts';
import { lieOf } from './replies.ts';

/** Milliseconds within which a neighbour is served. */
const NEIGHBOUR_MAX_MS = 2_000;
/** Between two calls of the neighbour, in milliseconds. */
const NEIGHBOUR_EACH_MS = 50;
/** Sentences of progress come after so many cases. */
const TOLD_AFTER = 100;
const INTERNAL = 500;
const OK = 200;

async function run({ seed, count, progress }: ProofOptions): Promise<ProofResult> {
  const gateway = await startGateway();
  const organization = await newOrganization(gateway);
  const node = await startDishonestNode(organization);
  const neighbour = await newOrganization(gateway);
  const faults: string[] = [];
  const figures: Record<string, number> = {};
  const watching = new AbortController();
  try {
    await prepare(organization, node);
    const watched = watchNeighbour(neighbour, watching.signal);
    for (let at = 0; at < count; at += 1) {
      const { name, collects, answer } = lieOf(new Choices(seed * 1_000_003 + at));
      node.answers = (method) => {
        const figure = `asked ${method}`;
        figures[figure] = (figures[figure] ?? 0) + 1;
        return answer(method);
      };
      for (const called of await callsOf(organization, at)) {
        const figure = `status ${called.status}`;
        figures[figure] = (figures[figure] ?? 0) + 1;
        const fault = faultOf(called, collects);
        if (fault) faults.push(`case ${at}, ${called.what}, ${name}: ${fault}`);
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

/** What is wrong with a reply. Rows and results that come in pieces are the node's to the end: nobody has looked at all of them before they are passed on. */
function faultOf({ status, text, type }: Called, collects: boolean): string | undefined {
  const shown = text.slice(0, 300);
  if (status === INTERNAL) return `is 500: ${shown}`;
  if (type === EVENTS) return isEventStream(text) ? undefined : `is no stream of events: ${shown}`;
  if (type === ROWS || (collects && (status === OK || status === BROKEN))) return undefined;
  const isJson = isJsonText(text);
  if (!isJson) return `is no JSON: ${status} ${shown}`;
  if (!text.includes(MARK) || isSaid(JSON.parse(text), undefined)) return undefined;
  return `has a text of the node: ${status} ${shown}`;
}

/** Whether what the node has made up stands under codes alone whose words are the relay's. @param code of what is around */
function isSaid(value: unknown, code: unknown): boolean {
  if (typeof value === 'string') {
    return !value.includes(MARK) || TOLD_BY_RELAYS.some((each) => each === code);
  }
  if (typeof value !== 'object' || value === null) return true;
  const own = 'code' in value ? value.code : code;
  return Object.values(value).every((each) => isSaid(each, own));
}

/** Whether each event has what it is to have: one that was broken off may lack its end. */
function isEventStream(text: string): boolean {
  const events = text.split('\n\n').slice(0, -1);
  return events.every((event) => {
    const lines = event.split('\n');
    const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6));
    const isKnown = lines.every((line) => /^(id|event|data|retry): |^:/.test(line));
    return isKnown && data.every(isJsonText);
  });
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
async function watchNeighbour(neighbour: Organization, until: AbortSignal) {
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
