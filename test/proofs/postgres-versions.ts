/** A proof on each version of PostgreSQL in turn. */
import type { PostgresKind } from '../../node-relay/drivers/postgres/test/database.ts';
import { KINDS } from './postgres-server.ts';
import type { ProofOptions, ProofResult } from './proof.ts';

/** Runs it on both versions, each with half of the cases; what they saw is added up. */
export async function onEachVersion(
  options: ProofOptions,
  proveOn: (kind: PostgresKind, options: ProofOptions) => Promise<ProofResult>,
): Promise<ProofResult> {
  const results: ProofResult[] = [];
  for (const kind of KINDS) {
    results.push(await proveOn(kind, { ...options, count: Math.ceil(options.count / 2) }));
  }
  return {
    cases: results.reduce((sum, { cases }) => sum + cases, 0),
    faults: results.flatMap(({ faults }) => faults),
    figures: Object.assign({}, ...results.map(({ figures }) => figures)) as ProofResult['figures'], // Numbers by name, as each of them.
  };
}
