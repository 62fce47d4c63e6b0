/** Makes the random cases of a run the same on every machine, and each property an assertion of its test; `TEST_SEED` asks for other cases. */
import fc from 'fast-check';
import { expect, inject } from 'vitest';

fc.configureGlobal({
  seed: inject('seed'),
  // A property that holds is what its test expects: vitest knows only its own assertions.
  reporter(details) {
    const why = `${fc.defaultReportMessage(details)}\n${String(details.errorInstance ?? '')}`;
    expect(details.failed, why).toBe(false);
  },
});
