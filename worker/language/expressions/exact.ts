/** Numbers kept as text: which of them a double holds, so that only their writing is kept, as of `1.10`. */
import { isExact, type Value } from './value.ts';

const PARTS = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Digits without zeros around them, and the power of ten of the first: the same for the same number. */
function canonical(text: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = PARTS.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = trimmed(digits);
  if (significant === '') return '0';
  const power = Number(exponent) + digits.length - fraction.length;
  return `${text.startsWith('-') ? '-' : ''}${significant}e${power}`;
}

/** Without the zeros at the end; an expression would look at each run of zeros again and again. */
function trimmed(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charAt(end - 1) === '0') end -= 1;
  return digits.slice(0, end);
}

/** Whether the double of a JSON number has the same digits as its text. */
export function isHeld(text: string): boolean {
  const double = String(Number(text));
  return double === text || canonical(double) === canonical(text);
}

/** Characters of texts that have no more digits than every double gives back, where their exponent is small. */
const SHORT = 15;
const LARGE_EXPONENT = /[eE][+-]?\d{3}/;
/** Doubles of longer texts, null where none holds them: each text is looked at once. */
const doubles = new WeakMap<object, number | null>();

/** What is computed with: of a number that is only written otherwise its double, all else as it is. */
export function plainValue(value: Value): Value {
  if (typeof value !== 'object' || !isExact(value)) return value;
  const { rawJSON: text } = value;
  if (text.length <= SHORT && !LARGE_EXPONENT.test(text)) return Number(text);
  let double = doubles.get(value);
  if (double === undefined) {
    double = isHeld(text) ? Number(text) : null;
    doubles.set(value, double);
  }
  return double ?? value;
}

/** Whether a value counts as true; a number of more digits than a double holds is never 0. */
export function isTrue(value: Value): boolean {
  return Boolean(typeof value === 'object' ? plainValue(value) : value);
}
