/** Which version of the program this is. */
import { readFileSync } from 'node:fs';

/** As package.json says. */
export function programVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string }; // Our own file.
  return version;
}
