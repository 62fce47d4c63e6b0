/** The path of an operation that a wrong one most likely means. */
import { meantName } from '../../proto/near-name.ts';

/** Characters of the longest path that may be a slip of a known one. */
const PATH_MAX = 512;

/** Whether a part of a path stands for a name that its caller gives. */
const isParameter = (part: string) => part.startsWith(':');

/**
 * The path with its one misspelt word as it is in one of the patterns; undefined when there is none such.
 * @param patterns whole paths of operations, with parameters as `:name`
 */
export function nearPath(path: string, patterns: Iterable<string>): string | undefined {
  if (path.length > PATH_MAX) return undefined;
  const given = path.split('/');
  for (const pattern of patterns) {
    const meant = pattern.includes('{') ? undefined : mendedBy(given, pattern.split('/'));
    if (meant !== undefined) return meant;
  }
  return undefined;
}

/** The given parts with the one that differs from the pattern's, where it is a slip of that. */
function mendedBy(given: readonly string[], known: readonly string[]): string | undefined {
  if (given.length !== known.length) return undefined;
  const isOther = (part: string, at: number) =>
    isParameter(part) ? given[at] === '' : part !== given[at];
  const at = known.findIndex(isOther);
  const word = known[at];
  if (word === undefined || isParameter(word) || known.findLastIndex(isOther) !== at) {
    return undefined;
  }
  return meantName(given[at] ?? '', [word]) === word ? given.with(at, word).join('/') : undefined;
}
