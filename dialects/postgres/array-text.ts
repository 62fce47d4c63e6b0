/** PostgreSQL's text form of arrays, read as JSON and written from JSON. Source: PostgreSQL manual, "Array Input and Output Syntax". */

/**
 * An array's text as a JSON array, NULL as null. An array whose indexes do not begin at 1 is a
 * string of the server's text, because a JSON array cannot say where it begins.
 */
export function arrayToJson(
  text: string,
  delimiter: string,
  encodeElement: (text: string) => string,
): string {
  if (!text.startsWith('{')) return JSON.stringify(text);
  let json = '';
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    if (character === '{') {
      json += '[';
      at += 1;
    } else if (character === '}') {
      json += ']';
      at += 1;
    } else if (character === delimiter) {
      json += ',';
      at += 1;
    } else if (character === '"') {
      const end = closingQuote(text, at + 1);
      json += encodeElement(unescaped(text.slice(at + 1, end)));
      at = end + 1;
    } else {
      const end = endOfBare(text, at, delimiter);
      const element = text.slice(at, end);
      json += element === 'NULL' ? 'null' : encodeElement(element);
      at = end;
    }
  }
  return json;
}

/** An element inside braces, always quoted, so that `NULL`, braces and spaces are just text. */
export function quotedElement(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function closingQuote(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

function unescaped(text: string): string {
  return text.includes('\\') ? text.replace(/\\([\s\S])/g, '$1') : text;
}

function endOfBare(text: string, from: number, delimiter: string): number {
  let at = from;
  while (at < text.length && text[at] !== delimiter && text[at] !== '}') at += 1;
  return at;
}
