/** Nothing that one caller's statement runs, however indirectly, is there for the next caller. Contract §6. */
import type { PostgresKind } from '../../../node-relay/drivers/postgres/test-database.ts';
import { KINDS, ownServer } from '../postgres-server.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { tryOn } from './trial.ts';

/** The proof on one version. */
export async function proveOn(kind: PostgresKind, options: ProofOptions): Promise<ProofResult> {
  const server = await ownServer(kind);
  try {
    return await tryOn(server, options);
  } finally {
    await server.stop();
  }
}

export const proof: Proof = {
  promise: 'No function that a statement of PostgreSQL runs leaves anything for the next caller.',
  count: 16_000,
  async run(options) {
    const results: ProofResult[] = [];
    for (const kind of KINDS) {
      results.push(await proveOn(kind, { ...options, count: Math.ceil(options.count / 2) }));
    }
    return {
      cases: results.reduce((sum, { cases }) => sum + cases, 0),
      faults: results.flatMap(({ faults }) => faults),
      figures: Object.assign(
        {},
        ...results.map(({ figures }) => figures),
      ) as ProofResult['figures'],
    };
  },
};
