/** Nothing that one caller's statement runs, however indirectly, is there for the next caller. Contract §6. */
import type { PostgresKind } from '../../../node-relay/drivers/postgres/test/database.ts';
import { ownServer } from '../postgres-server.ts';
import { onEachVersion } from '../postgres-versions.ts';
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
  run: (options) => onEachVersion(options, proveOn),
};
