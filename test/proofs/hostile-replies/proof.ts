/** Whatever a server answers, its call alone fails: a hostile server of each kind, made of a real one's replies. */
import { readdir } from 'node:fs/promises';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import type { HostileKind } from './kind.ts';
import { runKind } from './run.ts';

const KINDS = new URL('kinds/', import.meta.url);

/** `count` hostile servers of each kind; `--kind` names one. */
export const proof: Proof = {
  promise: 'Whatever a server answers, only its own call fails, as its table of errors says.',
  count: 20_000,
  async run(options) {
    const results: ProofResult[] = [];
    for (const name of await kindNames()) {
      if (options.kind !== undefined && options.kind !== name) continue;
      results.push(await runHostile(name, options));
    }
    return {
      cases: results.reduce((sum, { cases }) => sum + cases, 0),
      faults: results.flatMap(({ faults }) => faults),
      figures: Object.assign({}, ...results.map(({ figures }) => figures)),
    };
  },
};

/** One kind's part of the proof. @param name of its file in `kinds/` */
export async function runHostile(name: string, options: ProofOptions): Promise<ProofResult> {
  const file = new URL(`${name}.ts`, KINDS);
  const { kind } = (await import(file.href)) as { kind: HostileKind }; // By convention of the folder.
  return runKind(kind, options);
}

/** Kinds that there is a hostile server of. */
async function kindNames(): Promise<string[]> {
  const files = await readdir(KINDS);
  return files.map((file) => file.replace(/\.ts$/, '')).sort();
}
