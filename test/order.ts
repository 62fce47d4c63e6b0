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

/** The same of `worker`, from 10 seconds. By its size, the longest would begin last and run alone. */
const LONG_IN_WORKER: readonly string[] = [
  'worker/users/identity.test.ts',
  'worker/endpoints/revision.test.ts',
  'worker/endpoints/update.test.ts',
  'worker/calls/backend/edge.test.ts',
  'worker/endpoints/subscription-lasts.test.ts',
  'worker/facades/hooks/starts.test.ts',
  'worker/test/operations.test.ts',
  'worker/json/speed.test.ts',
  'proto/json-pieces.test.ts',
  'worker/workflows/runs/runs.test.ts',
  'worker/events/triggers.test.ts',
  'worker/reach/doors/model.test.ts',
  'worker/http/body-bytes.test.ts',
  'worker/workflows/executions/triggers.test.ts',
  'worker/idempotency/rights.test.ts',
  'worker/endpoints/transport.test.ts',
  'worker/http/run.test.ts',
  'worker/language/expressions/hostile.test.ts',
  'worker/reach/doors/open.test.ts',
  'worker/limits/quotas/invariant.test.ts',
  'worker/keys/levels.test.ts',
  'worker/audit/chain.test.ts',
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
  const path = relative(ROOT, moduleId);
  return project.name === 'worker'
    ? LONG.length + 1 + placeIn(LONG_IN_WORKER, path)
    : placeIn(LONG, path);
}

/** Where it is in the list; after the last when it is not there. */
function placeIn(long: readonly string[], path: string): number {
  const at = long.indexOf(path);
  return at === -1 ? long.length : at;
}
