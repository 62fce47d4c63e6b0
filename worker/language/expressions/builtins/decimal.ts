/** Whether a double holds a decimal exactly enough to give its digits back. */

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
