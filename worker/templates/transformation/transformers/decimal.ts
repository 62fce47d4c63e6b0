/** Arithmetic on numbers as they are written: nothing is rounded but what is asked for. */
import { decimalOf, sameDecimal } from '../../../../proto/decimal.ts';
import { type Json, numberText, type RawJson } from '../../../../proto/json.ts';
import { RuleFault } from '../failure.ts';

/** A number as `units` of ten to the power of `-scale`. */
interface Scaled {
  readonly units: bigint;
  readonly scale: number;
}

/** Digits before and behind the point that are worked with at most; doubles have no more. Spec silent. */
const DIGITS_MAX = 1_100;

/** @throws RuleFault for numbers of more digits than anybody writes */
function scaled(number: number | RawJson): Scaled {
  const { digits, exponent, isNegative } = decimalOf(numberText(number));
  if (digits === '') return { units: 0n, scale: 0 };
  const scale = Math.max(0, digits.length - exponent);
  const zeros = Math.max(0, exponent - digits.length);
  if (scale > DIGITS_MAX || digits.length + zeros > DIGITS_MAX) {
    throw new RuleFault(`takes numbers of at most ${DIGITS_MAX} digits`);
  }
  const units = BigInt(digits) * 10n ** BigInt(zeros);
  return { units: isNegative ? -units : units, scale };
}

/** As a number of JSON: a double where that holds it, else its text. */
export function numberFrom({ units, scale }: Scaled): Json {
  const isNegative = units < 0n;
  const digits = String(isNegative ? -units : units).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = withoutZeros(digits.slice(digits.length - scale));
  return numberOf(`${isNegative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`);
}

function withoutZeros(fraction: string): string {
  let end = fraction.length;
  while (end > 0 && fraction.charAt(end - 1) === '0') end -= 1;
  return fraction.slice(0, end);
}

/** The number that a JSON number's text is, with all its digits. */
export function numberOf(text: string): Json {
  const double = Number(text);
  if (Number.isFinite(double) && sameDecimal(String(double), text)) return double;
  return JSON.rawJSON(text);
}

/** How what is behind the last digit kept decides. */
export type Rounding = 'half' | 'down' | 'up';

/** Rounds to a number of decimals; `half` goes away from zero, `down` and `up` along the number line. */
export function rounded(number: number | RawJson, decimals: number, rounding: Rounding): Json {
  if (typeof number === 'number' && decimals >= 0 && Number.isInteger(number)) return number;
  const { units, scale } = scaled(number);
  const cut = scale - decimals;
  if (cut <= 0) return number;
  const unit = 10n ** BigInt(cut);
  const kept = { units: divided(units, unit, rounding), scale: Math.max(decimals, 0) };
  return numberFrom(
    decimals < 0 ? { units: kept.units * 10n ** BigInt(-decimals), scale: 0 } : kept,
  );
}

function divided(units: bigint, by: bigint, rounding: Rounding): bigint {
  const quotient = units / by; // Towards zero.
  const rest = units % by;
  if (rest === 0n) return quotient;
  const isNegative = units < 0n;
  if (rounding === 'down') return isNegative ? quotient - 1n : quotient;
  if (rounding === 'up') return isNegative ? quotient : quotient + 1n;
  const isHalf = (isNegative ? -rest : rest) * 2n >= by;
  if (!isHalf) return quotient;
  return isNegative ? quotient - 1n : quotient + 1n;
}

/** The sum, with every digit. */
export function sumOf(numbers: readonly (number | RawJson)[]): Scaled {
  let safe = 0;
  let at = 0;
  for (; at < numbers.length; at += 1) {
    const next = numbers[at];
    if (
      typeof next !== 'number' ||
      !Number.isSafeInteger(next) ||
      !Number.isSafeInteger(safe + next)
    )
      break;
    safe += next;
  }
  let units = BigInt(safe);
  let scale = 0;
  for (const each of numbers.slice(at)) {
    const next = scaled(each);
    if (next.scale > scale) {
      units *= 10n ** BigInt(next.scale - scale);
      scale = next.scale;
    }
    units += next.units * 10n ** BigInt(scale - next.scale);
  }
  return { units, scale };
}
