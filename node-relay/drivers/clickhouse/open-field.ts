/** Finds the field at which the beginning of a row ends. */

/** Marks that are looked at: of a row of very many, nothing is told. */
const MARKS_MAX = 2_000_000;

/** The place of the last field of a row's beginning, from 0; undefined where that takes long to find. */
export function openField(text: string): number | undefined {
  const marks = /["[\]{},]/g;
  let [depth, field] = [0, 0];
  for (let looked = 0; looked < MARKS_MAX; looked += 1) {
    const found = marks.exec(text);
    if (found === null) return field;
    switch (found[0]) {
      case '"':
        marks.lastIndex = afterString(text, found.index);
        break;
      case '[':
      case '{':
        depth += 1;
        break;
      case ',':
        if (depth === 1) field += 1;
        break;
      default:
        depth -= 1;
    }
  }
  return undefined;
}

const QUOTE_OR_ESCAPE = /["\\]/g;

function afterString(text: string, start: number): number {
  QUOTE_OR_ESCAPE.lastIndex = start + 1;
  for (let looked = 0; looked < MARKS_MAX; looked += 1) {
    const found = QUOTE_OR_ESCAPE.exec(text);
    if (found === null) break;
    if (found[0] === '"') return found.index + 1;
    QUOTE_OR_ESCAPE.lastIndex = found.index + 2;
  }
  return text.length;
}
