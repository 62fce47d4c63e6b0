/** Loads a script of this project, or says in one sentence which Node it needs: older ones cannot read it. */
import module from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const NEEDED = 24;
/** What modules were compiled to, theirs and ours: a third of a start would go into doing it again. */
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/causeway', import.meta.url));

const [major] = process.versions.node.split('.');
if (Number(major) < NEEDED) {
  console.error(
    `This needs Node ${NEEDED} or newer, not ${process.versions.node}; on Linux x64 and arm64 it comes with npm ci and runs by npm start, elsewhere install it.`,
  );
  process.exitCode = 1;
} else {
  // Where the folder cannot be written it says so in its answer, and all goes on without.
  process.env.NODE_COMPILE_CACHE ??= COMPILED; // For programs that this one starts.
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  const [, , script, ...args] = process.argv;
  process.argv = [process.argv[0], script, ...args];
  try {
    await import(pathToFileURL(script).href);
  } catch (thrown) {
    const { sentenceFor } = await import('./failure.ts');
    console.error(sentenceFor(thrown) ?? thrown);
    process.exit(1); // As after any throw that nobody catches.
  }
}
