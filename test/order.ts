/** In which order test files run: the longest first, so that all cores are busy to the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of `relay` and `system` that take far longer than others, the longest first. */
const LONG: readonly string[] = [];

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
  const at = LONG.findIndex((name) => moduleId.endsWith(name));
  return at === -1 ? LONG.length : at;
}
