/** A line of a log, never longer than its bound, whatever is in its fields. docs/heavy-work.md, "Lines of logs". */
import { truncated } from './truncate.ts';

/** Bytes of a line at most: what reads the log takes time that grows with the square of a line. */
export const LINE_MAX_BYTES = 8_192;

/** Characters of each text, tried one after another until the line is short enough. */
const TEXT_MAX = [2_000, 500, 60] as const;
/** Values of a line that are looked at, and how deep. */
const VALUES_MAX = 100;
const DEPTH_MAX = 6;

/** Characters of plain fields together that fit, however they are written. */
const PLAIN_MAX = 1_000;

const encoder = new TextEncoder();

/** The JSON text of an entry. What is cut out of it is not told; that it was, `cut` says. */
export function boundedLine(entry: object): string {
  if (isPlain(entry)) return JSON.stringify(entry);
  for (const textMax of TEXT_MAX) {
    const cut = new Cut(textMax);
    const told = cut.of(entry, 0);
    const line = JSON.stringify(cut.isCut ? { ...(told as object), cut: true } : told);
    if (line.length <= LINE_MAX_BYTES && encoder.encode(line).byteLength <= LINE_MAX_BYTES) {
      return line;
    }
  }
  return JSON.stringify({ time: new Date().toISOString(), level: 'error', cut: true });
}

/** Whether it has few short fields and nothing within them, as almost all have. */
function isPlain(entry: object): boolean {
  let left = PLAIN_MAX;
  for (const name in entry) {
    const value: unknown = Reflect.get(entry, name);
    if (typeof value === 'bigint' || (typeof value === 'object' && value !== null)) return false;
    left -= name.length + (typeof value === 'string' ? value.length : 1);
    if (left < 0) return false;
  }
  return true;
}

/** One copy of an entry, as far as it is told. */
class Cut {
  isCut = false;
  readonly #textMax: number;
  #left = VALUES_MAX;

  constructor(textMax: number) {
    this.#textMax = textMax;
  }

  of(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      return this.#text(String(value.toJSON()));
    }
    if (depth === DEPTH_MAX) return this.#leftOut();
    return Array.isArray(value) ? this.#elements(value, depth) : this.#members(value, depth);
  }

  #text(text: string): string {
    const told = truncated(text, this.#textMax);
    this.isCut ||= told.length < text.length;
    return told;
  }

  #elements(array: readonly unknown[], depth: number): unknown[] {
    const told: unknown[] = [];
    for (const each of array) {
      if (!this.#hasRoom()) break;
      told.push(this.of(each, depth + 1));
    }
    return told;
  }

  #members(object: object, depth: number): object {
    const told: Record<string, unknown> = {};
    for (const name in object) {
      if (!Object.hasOwn(object, name)) continue;
      if (!this.#hasRoom()) break;
      const value: unknown = Reflect.get(object, name);
      if (value !== undefined) told[this.#text(name)] = this.of(value, depth + 1);
    }
    return told;
  }

  #hasRoom(): boolean {
    this.#left -= 1;
    this.isCut ||= this.#left < 0;
    return this.#left >= 0;
  }

  #leftOut(): undefined {
    this.isCut = true;
    return undefined;
  }
}
