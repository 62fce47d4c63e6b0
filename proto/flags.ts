/** What is said of a flag that no program has. */
import { meantName } from './near-name.ts';

/**
 * What Node's `parseArgs` found wrong, without its advice on quoting.
 * @param known names of the flags, without dashes
 */
export function flagFault(thrown: unknown, known: readonly string[]): string {
  const [sentence = ''] = thrown instanceof Error ? thrown.message.split(/\.\s|\n/) : [];
  const given = /^Unknown option '--([^']+)'/.exec(sentence)?.[1];
  const meant = given === undefined ? undefined : meantName(given, known);
  return meant === undefined
    ? `${sentence}; see --help`
    : `${sentence}; did you mean --${meant}? See --help`;
}
