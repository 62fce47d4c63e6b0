/** `npm run prove -- failover`: two nodes under load, and one of them is killed, stopped, cut off, restarted, drained. Spec: nodes.md §3. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedGateway } from '../../gateway.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { faultsOf, type Line, lineOf } from './judge.ts';
import { startLoad } from './load.ts';
import { FAULTS, type Fault, Site } from './site.ts';

/** Callers at the same time. */
const CALLERS = Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? 'read' : 'write'));
/** Milliseconds of load before a fault, and after its end. */
const BEFORE_MS = 3_000;
const AFTER_MS = 1_500;
/** Milliseconds that a fault lasts: longer than it takes until it is seen. */
const LASTS_MS = 5_000;
/** Milliseconds in which lists follow where calls are under way. Spec: nodes.md §3 */
const SEEN_MAX_MS = 5_000;
/** Beyond that a node is not waited for. */
const WAITED_MAX_MS = 40_000;

/** A case is one fault of one node. */
export const proof: Proof = {
  promise:
    'A node that is lost loses no read and no acknowledged write, and no write is executed twice',
  count: 2 * FAULTS.length,
  run: proveFailover,
};

/** @param kind a fault's name, for that one alone */
async function proveFailover({ count, kind, progress }: ProofOptions): Promise<ProofResult> {
  const site = await Site.start(await sharedGateway());
  const tried = FAULTS.filter(({ name }) => kind === undefined || name === kind);
  const lines: Line[] = [];
  const faults: string[] = [];
  try {
    for (let at = 0; at < count; at += 1) {
      const fault = tried[at % tried.length];
      if (fault === undefined) break;
      const line = await happen(site, fault, Math.floor(at / tried.length) % 2);
      progress(JSON.stringify(line));
      lines.push(line);
      faults.push(...faultsOf(line, SEEN_MAX_MS, fault.gentle));
    }
  } finally {
    await site.stop();
  }
  progress(tableOf(lines));
  const sum = (of: 'reads' | 'writes') => lines.reduce((total, line) => total + line[of], 0);
  return { cases: lines.length, faults, figures: { reads: sum('reads'), writes: sum('writes') } };
}

async function happen(site: Site, fault: Fault, which: number): Promise<Line> {
  const node = site.nodes[which];
  if (node === undefined) throw new Error('There is no such node');
  const { organization, endpoint, control } = site;
  const load = startLoad(organization, endpoint, CALLERS);
  const beside = startLoad(organization, control, ['read', 'read']);
  try {
    await sleep(BEFORE_MS);
    const at = performance.now();
    const [goneAfterMs] = await Promise.all([
      site.shows(node, fault.shows, WAITED_MAX_MS),
      fault.begin(site, node),
      sleep(LASTS_MS),
    ]);
    const endedAt = performance.now();
    await fault.end(site, node);
    const backAfterMs = await site.shows(node, 'available', WAITED_MAX_MS);
    await sleep(AFTER_MS);
    await load.stop();
    const stored = await site.stored();
    const { name } = fault;
    const seen = { calls: load.calls, control: beside.calls, stored, goneAfterMs, backAfterMs };
    return lineOf({ name, at, endedAt, ...seen });
  } finally {
    await Promise.all([load.stop(), beside.stop()]);
  }
}

/** As Markdown has it. */
function tableOf(lines: readonly Line[]): string {
  const names = Object.keys(lines[0] ?? {});
  const row = (cells: readonly unknown[]) => `| ${cells.join(' | ')} |`;
  return [
    row(names),
    row(names.map(() => '---')),
    ...lines.map((line) => row(Object.values(line))),
  ].join('\n');
}
