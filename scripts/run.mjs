/** Loads a script of this project, or says in one sentence which Node it needs: older ones cannot read it. */
import { pathToFileURL } from 'node:url';

const NEEDED = 24;

const [major] = process.versions.node.split('.');
if (Number(major) < NEEDED) {
  console.error(
    `This needs Node ${NEEDED} or newer, not ${process.versions.node}; on Linux x64 and arm64 it comes with npm ci and runs by npm start, elsewhere install it.`,
  );
  process.exitCode = 1;
} else {
  const [, , script, ...args] = process.argv;
  process.argv = [process.argv[0], script, ...args];
  await import(pathToFileURL(script).href);
}
