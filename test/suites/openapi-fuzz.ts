/** Requests that schemathesis makes of the OpenAPI document: `npm run fuzz`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../../server/bundle.ts';
import type { Suite } from './suite.ts';

/** One case: nothing that may not be was answered. */
export const openapiFuzz: Suite = {
  compares: 'replies with the OpenAPI document; `npm run fuzz` has flags for more requests',
  cases: 'made by schemathesis from PyPI (MIT)',
  async run({ shutdown }) {
    const args = [join(ROOT, 'server/run.mjs'), join(ROOT, 'tooling/fuzz.ts')];
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    await shutdown.add(async () => void child.kill());
    const [code] = await once(child, 'exit');
    const differing = code === 0 ? [] : [['a reply that may not be', 'see above'] as const];
    return { passed: code === 0 ? 1 : 0, differing: new Map(differing), skipped: 0 };
  },
};
