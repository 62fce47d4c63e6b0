/** Makes the random cases of a run the same on every machine; `TEST_SEED` asks for others. */
import fc from 'fast-check';
import { inject } from 'vitest';

fc.configureGlobal({ seed: inject('seed') });
