/** `npm run prove -- failover`: two nodes under load, of which one is killed, stopped, cut off, restarted, drained. Spec: nodes.md §3. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedGateway } from '../../gateway.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { faultsOf, type Line, lineOf } from './judge.ts';
import { startLoad } from './load.ts';
import { FAULTS, type Fault, Site } from './site.ts';

/** Milliseconds of load before a fault, and after its end. */
const QUIET_MS = 1_500;
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

async function proveFailover({ count, progress }: ProofOptions): Promise<ProofResult> {
  const site = await Site.start(await sharedGateway());
  const lines: Line[] = [];
  const faults: string[] = [];
  try {
    for (let at = 0; at < count; at += 1) {
      const fault = FAULTS[at % FAULTS.length];
      if (fault === undefined) break;
      const line = await happen(site, fault, Math.floor(at / FAULTS.length) % 2);
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
  const load = startLoad(site.organization, site.endpoint);
  try {
    await sleep(QUIET_MS);
    const at = performance.now();
    const [goneAfterMs] = await Promise.all([
      site.shows(node, fault.shows, WAITED_MAX_MS),
      fault.begin(site, node),
      sleep(LASTS_MS),
    ]);
    await fault.end(site, node);
    const backAfterMs = await site.shows(node, 'available', WAITED_MAX_MS);
    await sleep(QUIET_MS);
    await load.stop();
    const stored = await site.stored();
    const { name } = fault;
    return lineOf({ name, at, calls: load.calls, stored, goneAfterMs, backAfterMs });
  } finally {
    await load.stop();
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
