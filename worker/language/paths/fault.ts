/** What is wrong with a path, and where. */

/** A path that does not parse; the caller turns it into an error with a name. */
export class PathFault extends Error {
  override readonly name = 'PathFault';
  /** Index in the path, in UTF-16 code units. */
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/** Characters of a path that are shown from where it goes wrong. */
const SHOWN = 16;

/** A sentence's end on what is wrong with a path, and where. */
export function faultOf(path: string, { message, position }: PathFault): string {
  const rest = path.slice(position, position + SHOWN);
  const where = rest === '' ? 'its end' : `character ${position + 1}, ${JSON.stringify(rest)}`;
  return `does not parse at ${where}: ${message}`;
}
