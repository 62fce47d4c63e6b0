/** What `npm ci` does last: makes what the first start would have to make, so that it takes no time there. */
import { findBundle } from '../node-relay/parts/bundle.ts';
import { buildWorker, PREPARED } from './bundle.ts';

try {
  // One after the other: they share esbuild's service, which each stops.
  await buildWorker(PREPARED);
  await buildWorker(PREPARED, PREPARED, 'runtimes');
  await prepareParts();
  // What modules compile to is kept too.
  await Promise.all([import('./edge.ts'), import('./demo.ts'), import('./front.ts')]);
} catch (thrown) {
  // The first start does so itself, or says its fault.
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  console.error(`Nothing could be prepared for the first start, which takes longer: ${reason}`);
}

async function prepareParts(): Promise<void> {
  const bundle = await findBundle();
  if (!bundle.isThere) await bundle.make();
}
