/** Finds the numbers in a JSON text that a double would round, overflow or underflow. */
import { sameDecimal } from './decimal.ts';

/** Where a number is in a text: from `start`, up to but without `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Fifteen significant digits always survive a double. */
const LONG = 16;
/** A magnitude that a double may not reach has an exponent of three digits, or many digits. */
const LARGE_EXPONENT = /\d[eE][+-]?\d{3}/g;
/** Of two such texts that differ, the numbers do. */
const INTEGER = /^-?[1-9]\d*$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** What may be around a number, besides the text's ends; before a colon it would be a member's name. */
const BEFORE = ' \t\n\r:,[';
const AFTER = ' \t\n\r,]}';
const COLON = /\s*:/y;

/** By UTF-16 code unit: whether it may be part of a number. */
const NUMERIC = new Uint8Array(0x1_0000);
for (const character of '0123456789+-.eE') NUMERIC[character.charCodeAt(0)] = 1;
/** Digits and the point are between these code units, with one other between them. */
const [POINT, SLASH, NINE] = [0x2e, 0x2f, 0x39];

/** The numbers that lose digits, in order. Text without long runs of digits pays one scan. */
export function exactNumbers(text: string): Span[] {
  const found = [...longRuns(text), ...largeExponents(text)].filter((span) => isExact(text, span));
  return found.length === 0 ? found : outsideStrings(text, found);
}

/** Runs that hold `LONG` digits or points; looks at about every sixteenth character only. */
function longRuns(text: string): Span[] {
  const found: Span[] = [];
  let start = 0;
  while (start + LONG <= text.length) {
    let at = start + LONG - 1;
    for (; at >= start; at -= 1) {
      const unit = text.charCodeAt(at);
      if (unit < POINT || unit > NINE || unit === SLASH) break;
    }
    if (at < start) {
      const end = endOfRun(text, start + LONG);
      found.push({ start: startOfRun(text, start), end });
      at = end;
    }
    start = at + 1;
  }
  return found;
}

function largeExponents(text: string): Span[] {
  const found: Span[] = [];
  LARGE_EXPONENT.lastIndex = 0;
  while (LARGE_EXPONENT.test(text)) {
    const start = startOfRun(text, LARGE_EXPONENT.lastIndex);
    const end = endOfRun(text, LARGE_EXPONENT.lastIndex);
    found.push({ start, end });
    LARGE_EXPONENT.lastIndex = end;
  }
  return found;
}

function startOfRun(text: string, from: number): number {
  let start = from;
  while (start > 0 && NUMERIC[text.charCodeAt(start - 1)] === 1) start -= 1;
  return start;
}

function endOfRun(text: string, from: number): number {
  let end = from;
  while (end < text.length && NUMERIC[text.charCodeAt(end)] === 1) end += 1;
  return end;
}

/** Whether a double would be another number. What costs least is looked at first. */
function isExact(text: string, { start, end }: Span): boolean {
  if (start > 0 && !BEFORE.includes(text.charAt(start - 1))) return false;
  if (end < text.length && !AFTER.includes(text.charAt(end))) return false;
  const number = text.slice(start, end);
  const rounded = String(Number(number));
  if (rounded === number) return false;
  if (INTEGER.test(number) && INTEGER.test(rounded)) return true;
  return NUMBER.test(number) && !sameDecimal(rounded, number);
}

/** Those that are numbers, and not text of a string or a member's name; reads the text once, however many there are. */
function outsideStrings(text: string, spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  /** Where the string ends that was read last; it begins at `open`. */
  let closed = 0;
  let open = nextQuote(text, 0);
  let last = -1;
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    if (span.start === last) continue; // Found by its length and by its exponent.
    last = span.start;
    while (open < span.start && closed <= span.start) {
      closed = endOfString(text, open);
      if (closed <= span.start) open = nextQuote(text, closed);
    }
    COLON.lastIndex = span.end;
    if (closed <= span.start && !COLON.test(text)) found.push(span);
  }
  return found;
}

/** Where the next quote is; behind every number when there is none. */
function nextQuote(text: string, from: number): number {
  const at = text.indexOf('"', from);
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}

/** The place after the quote that ends a string; the text's end when there is none. */
function endOfString(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slash = at;
    while (text.charAt(slash - 1) === '\\') slash -= 1;
    if ((at - slash) % 2 === 0) return at + 1;
  }
  return text.length;
}
