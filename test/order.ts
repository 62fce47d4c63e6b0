/** In which order test files run: the longest first, so that all cores are busy to the end. */
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ROOT = join(import.meta.dirname, '..');

/** Files of `relay` and `system` that take far longer than others, the longest first: their paths begin so. */
const LONG: readonly string[] = [
  'node-relay/parts/parts.test.ts',
  'test/documents/documents.test.ts',
  'test/restarts/',
  'test/stop.test.ts',
  'test/parts.test.ts',
  'test/caller.test.ts',
  'test/subscribe.test.ts',
  'test/starting.test.ts',
  'test/password-hasher.test.ts',
  'test/proofs/',
  'node-relay/drivers/mysql/guard.test.ts',
  'node-relay/drivers/cassandra/',
  'node-relay/drivers/postgres/',
  'node-relay/drivers/mongo/',
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
  const at = LONG.findIndex((start) => path.startsWith(start));
  return at === -1 ? LONG.length : at;
}
