/**
 * The dotted notation, `a.b[0].c`: `\` is before `.`, `[`, `]` and `\` of a name, and `\0` is
 * the empty name. The empty text is the whole document. Contract §7.
 */
import { PathFault } from './fault.ts';
import { indexOf, type Segment, type Writing } from './step.ts';

const [DOT, OPEN, CLOSE, SLASH] = [0x2e, 0x5b, 0x5d, 0x5c];
const SPECIAL = /[.[\]\\]/;
const EVERY_SPECIAL = /[.[\]\\]/g;

export const dotted: Writing = {
  top: '',
  child: (parent, key) => {
    if (typeof key === 'number') return `${parent}[${key}]`;
    return parent === '' ? escapeName(key) : `${parent}.${escapeName(key)}`;
  },
};

/** A name as it is in a path. */
function escapeName(name: string): string {
  if (name === '') return String.raw`\0`;
  return SPECIAL.test(name) ? name.replace(EVERY_SPECIAL, String.raw`\$&`) : name;
}

/**
 * The names and indexes of a path. Looks at each character once and cuts names out whole.
 * @throws PathFault
 */
export function parseDotted(text: string): Segment[] {
  const keys: Segment[] = [];
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === OPEN) at = readIndex(text, at, keys);
    else if (at === 0) at = readName(text, at, keys);
    else if (unit === DOT) at = readName(text, at + 1, keys);
    else throw new PathFault('a dot or a bracket is missing', at);
  }
  return keys;
}

/** A path cut before its last step. */
interface CutPath {
  /** Length of the path up to there. */
  readonly at: number;
  readonly last: Segment;
}

/**
 * Cuts off the last step; `undefined` where a closer look is needed: at a path of one step, with
 * escapes there, or at one that does not parse.
 */
export function cutLast(text: string): CutPath | undefined {
  if (text.charCodeAt(text.length - 1) === CLOSE) {
    const at = text.lastIndexOf('[');
    const last = indexOf(text.slice(at + 1, -1));
    return at > 0 && last >= 0 && text.charCodeAt(at - 1) !== SLASH ? { at, last } : undefined;
  }
  let at = text.length - 1;
  for (; at > 0; at -= 1) {
    const unit = text.charCodeAt(at);
    if (unit === DOT) break;
    if (unit === SLASH || unit === OPEN || unit === CLOSE) return undefined;
  }
  const isCut = at > 0 && at < text.length - 1 && text.charCodeAt(at - 1) !== SLASH;
  return isCut ? { at, last: text.slice(at + 1) } : undefined;
}

function readIndex(text: string, open: number, keys: Segment[]): number {
  const close = text.indexOf(']', open);
  if (close < 0) throw new PathFault('the bracket is not closed', open);
  const index = indexOf(text.slice(open + 1, close));
  if (index < 0) {
    const message = String.raw`in brackets stands an index; a bracket of a name is written \[`;
    throw new PathFault(message, open + 1);
  }
  keys.push(index);
  return close + 1;
}

function readName(text: string, start: number, keys: Segment[]): number {
  let at = start;
  let isEscaped = false;
  for (; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === DOT || unit === OPEN) break;
    if (unit === CLOSE) throw new PathFault(String.raw`a bracket of a name is written \]`, at);
    if (unit !== SLASH) continue;
    isEscaped = true;
    at += 1;
  }
  const name = text.slice(start, at);
  if (name === '') throw new PathFault(String.raw`a name is missing; the empty name is \0`, start);
  keys.push(isEscaped ? unescapeName(name, start) : name);
  return at;
}

function unescapeName(name: string, start: number): string {
  if (name === String.raw`\0`) return '';
  return name.replace(/\\(.?)/gs, (_, escaped: string, at: number) => {
    if (SPECIAL.test(escaped)) return escaped;
    const message = String.raw`a backslash stands before one of . [ ] \, or alone before 0`;
    throw new PathFault(message, start + at);
  });
}
