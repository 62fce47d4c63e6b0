/** Where a text is no JSON, or nests too deep: the runtime's parser does not tell it of every fault. RFC 8259. */

import { JsonScan } from './json-scan.ts';
import { type Pieces, whole } from './work/pieces.ts';

/** The first place at which a text is no JSON, and what would be right there; `undefined` when it is JSON. */
export function faultOf(text: string): string | undefined {
  return whole(faultInPieces(text));
}

/** As `faultOf`, in pieces. */
export function* faultInPieces(text: string): Pieces<string | undefined> {
  const scan = new Scan(text);
  try {
    yield* scan.document();
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Expected)) throw thrown;
    const verb = scan.at < text.length ? 'at' : 'it ends at';
    return `${verb} ${placeOf(text, scan.at)}, where ${thrown.message} is expected`;
  }
}

/**
 * The first place at which a text nests deeper than `most` arrays and objects; `undefined` when
 * none does. Text too short for that pays nothing, other text one scan.
 */
export function depthFaultOf(text: string, most: number): string | undefined {
  // As many closing ones would be needed.
  if (text.length <= 2 * most) return undefined;
  const { deepAt } = new JsonScan(text, most).goOn(text.length);
  return deepAt === undefined ? undefined : depthFaultAt(text, deepAt, most);
}

/** Where a text nests too deep, in words. */
export function depthFaultAt(text: string, at: number, most: number): string {
  return `at ${placeOf(text, at)} it nests deeper than ${most}`;
}

/** Line and column from 1; columns count UTF-16 units. */
function placeOf(text: string, at: number): string {
  let line = 1;
  let end = -1;
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) {
    line += 1;
    end = next;
  }
  return `line ${line}, column ${at - end}`;
}

/** Values that are gone through at once. */
const VALUES_OF_A_PIECE = 4_096;

/** Something else is expected where the scan is; the message says what. */
class Expected extends Error {}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = ' \t\n\r';
const ESCAPE = /["\\/bfnrt]|u[\da-fA-F]{4}/y;

/** Goes through a text; without recursion, so that any depth will do. */
class Scan {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** @throws Expected where the text is no JSON */
  *document(): Pieces<void> {
    const open: (']' | '}')[] = [];
    for (let values = 1; ; values += 1) {
      if (values % VALUES_OF_A_PIECE === 0) yield;
      const opened = this.begin();
      if (opened !== undefined) open.push(opened);
      else if (this.end(open)) return;
    }
  }

  /** A value as far as its first member: what would close it, when it has one. */
  private begin(): ']' | '}' | undefined {
    if (this.take('[')) return this.take(']') ? undefined : ']';
    if (!this.take('{')) return this.scalar();
    if (this.take('}')) return undefined;
    this.name();
    return '}';
  }

  /** What follows a value, up to the next; whether there is no next. */
  private end(open: (']' | '}')[]): boolean {
    for (;;) {
      const closing = open.at(-1);
      if (this.take(',', closing !== undefined)) {
        if (closing === '}') this.name();
        return false;
      }
      if (closing === undefined) break;
      if (!this.take(closing)) throw new Expected(`a comma or ${closing}`);
      open.pop();
    }
    if (this.at < this.text.length) throw new Expected('nothing more');
    return true;
  }

  private name(): void {
    if (!this.take('"')) throw new Expected('a name in double quotes');
    this.string();
    if (!this.take(':')) throw new Expected('a colon');
  }

  private scalar(): undefined {
    if (this.take('"')) return this.string();
    if (this.skip(NUMBER)) return;
    const literal = ['true', 'false', 'null'].find((each) => this.text.startsWith(each, this.at));
    if (literal === undefined) throw new Expected('a value');
    this.at += literal.length;
  }

  /** A string after its first quote. */
  private string(): undefined {
    for (;;) {
      const char = this.text.charAt(this.at);
      if (char < ' ')
        throw new Expected(char === '' ? 'a closing quote' : 'an escape of this control character');
      this.at += 1;
      if (char === '"') return;
      if (char === '\\' && !this.skip(ESCAPE)) throw new Expected('a known escape');
    }
  }

  /** Goes past white space and, if it comes then and is `wanted`, the character. */
  private take(char: string, wanted = true): boolean {
    while (this.at < this.text.length && SPACE.includes(this.text.charAt(this.at))) this.at += 1;
    if (!wanted || this.text.charAt(this.at) !== char) return false;
    this.at += 1;
    return true;
  }

  private skip(token: RegExp): boolean {
    token.lastIndex = this.at;
    if (!token.test(this.text)) return false;
    this.at = token.lastIndex;
    return true;
  }
}
