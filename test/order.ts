/** In which order test files run: the longest first, so that all cores are busy to the end. */
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ROOT = join(import.meta.dirname, '..');

/**
 * Files of `relay` and `system` that take 20 seconds and more on two cores, the longest first, by the
 * times that a whole run has reported. Each other one is begun after them, the largest first.
 */
const LONG: readonly string[] = [
  'node-relay/drivers/postgres/older.test.ts',
  'node-relay/drivers/postgres/behind-pooler.test.ts',
  'test/docs.test.ts',
  'node-relay/parts/parts.test.ts',
  'node-relay/drivers/postgres/guard.test.ts',
  'test/openapi/document.test.ts',
  'test/subscribe.test.ts',
  'test/idempotency-kill.test.ts',
  'test/restarts/restarts.test.ts',
  'test/proofs/redis-reads/redis-reads.test.ts',
  'test/parts.test.ts',
  'test/dev.test.ts',
  'test/upstash.test.ts',
  'test/bad-input.test.ts',
  'test/stop.test.ts',
  'test/proofs/postgres-functions/postgres-functions.test.ts',
  'test/documents/documents.test.ts',
  'test/proofs/hostile-replies/postgres.test.ts',
  'test/proofs/postgres-functions/older.test.ts',
  'test/own-ports.test.ts',
  'test/proofs/postgres-traces/older.test.ts',
  'test/templates/injection/documents.test.ts',
  'test/templates/million.test.ts',
  'test/proofs/hostile-replies/mongo.test.ts',
  'test/caller.test.ts',
];

/**
 * Begins with long files and ends with those of `worker`: they share a runtime for as long as no
 * file of another project comes between, and are short.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId, project }: TestSpecification): number {
  if (project.name === 'worker') return LONG.length + 1;
  const path = relative(ROOT, moduleId);
  const at = LONG.indexOf(path);
  return at === -1 ? LONG.length : at;
}
