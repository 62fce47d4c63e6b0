/** What to write in place of a path that reads no result of a rule, though it was meant to. Contract §8, `as`. */
import { RESULTS_NAME } from './scope.ts';

/** Steps that the slash form can write, too: names, elements, and every element. */
const PLAIN = /^(?:[\w$]+(?:\[(?:\d+|\*)\])*)(?:\.[\w$]+(?:\[(?:\d+|\*)\])*)*$/;
/** A JSONPath that begins at a member `results` of the input. */
const JSONPATH = /^\s*\$(?:\.results(?![\w$])|\[\s*(?:"results"|'results')\s*\])/;
/** Longest text that is shown rewritten, in UTF-16 code units. */
const SHOWN_MAX = 64;

/** Whether a text is a JSONPath into a member `results` of the input. */
export function isInputsResults(text: string): boolean {
  return JSONPATH.test(text);
}

/** Why such a JSONPath is refused where rules name results, and what to write. */
export function inputsResultsFault(text: string): string {
  const rest = text.replace(JSONPATH, '');
  return `$ is the input, and results of rules are no part of it; ${adviceFor(`${RESULTS_NAME}${rest}`)}`;
}

/** What to write for a path of several places, or of the last one, among results. @param text without `$.` before it */
export function adviceFor(text: string): string {
  if (!PLAIN.test(text) || text.length > SHOWN_MAX)
    return `read ${RESULTS_NAME}.<name> by an expression, which has filter, map and at`;
  if (!text.includes('[*]')) return `write ${text}`;
  const slashes = text
    .replaceAll('[*]', '/*')
    .replace(/\[(\d+)\]/g, '/$1')
    .replaceAll('.', '/')
    .replaceAll('*', '..');
  return `write ${slashes}, where .. is every element`;
}
