/** Takes characters from the end of a text. A pattern such as `/=+$/` takes the square of their number where another follows. */

/** The text without that character, once or more, at its end. */
export function withoutAtEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

/** The text before the first of that character; all of it where there is none. */
export function upTo(text: string, character: string): string {
  const at = text.indexOf(character);
  return at < 0 ? text : text.slice(0, at);
}
