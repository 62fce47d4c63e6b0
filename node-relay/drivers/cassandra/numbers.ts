/** Whole numbers of any length, decimals and lengths of CQL, as bytes and as text. */

/** A two's complement number of any length. */
export function bigintOf(bytes: Buffer): bigint {
  if (bytes.length === 0) return 0n;
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`));
}

/** The shortest two's complement bytes of a number. */
export function bytesOfBigint(value: bigint): Buffer {
  const magnitude = value < 0n ? -value - 1n : value;
  const length = Math.floor(magnitude.toString(16).length / 2) + 1;
  const hex = BigInt.asUintN(length * 8, value)
    .toString(16)
    .padStart(length * 2, '0');
  const bytes = Buffer.from(hex, 'hex');
  // The first byte is superfluous where it only repeats the sign of the next.
  const [first, second = 0] = bytes;
  const isSpare = length > 1 && (second < 128 ? first === 0 : first === 255);
  return isSpare ? bytes.subarray(1) : bytes;
}

/** Exponents from which zeros are not written out. Source: Java, `BigDecimal.toString`. */
const PLAIN_MIN_EXPONENT = -6;

/** `12.50`, or `1.25E+400` where zeros would be many; every digit is kept, the last zeros too. */
export function decimalText(unscaled: bigint, scale: number): string {
  const sign = unscaled < 0n ? '-' : '';
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString();
  const exponent = digits.length - 1 - scale;
  if (scale === 0) return sign + digits;
  if (scale > 0 && exponent >= PLAIN_MIN_EXPONENT) {
    const whole = digits.padStart(scale + 1, '0');
    return `${sign}${whole.slice(0, -scale)}.${whole.slice(-scale)}`;
  }
  const rest = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${sign}${digits.charAt(0)}${rest}E${exponent < 0 ? '' : '+'}${exponent}`;
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,10}))?$/i;
/** Digits that a number may have: more would take long to read. */
const DIGITS_MAX = 100_000;
const INT_MAX = 2_147_483_647;

/** Digits and scale of a text; undefined where it is no decimal. */
export function decimalOf(text: string): { unscaled: bigint; scale: number } | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  const digits = whole + fraction;
  const scale = fraction.length - Number(exponent);
  if (digits === '' || digits.length > DIGITS_MAX || Math.abs(scale) > INT_MAX) return undefined;
  const unscaled = BigInt(digits);
  return { unscaled: sign === '-' ? -unscaled : unscaled, scale };
}

/** The integer of a text such as `-12` or `1e3`; undefined where it has a fraction or is too long. */
export function integerOf(text: string): bigint | undefined {
  const found = decimalOf(text);
  if (!found) return undefined;
  const { unscaled, scale } = found;
  if (scale === 0) return unscaled;
  if (scale < 0) return scale < -1000 ? undefined : unscaled * 10n ** BigInt(-scale);
  if (scale > DIGITS_MAX) return undefined;
  const unit = 10n ** BigInt(scale);
  return unscaled % unit === 0n ? unscaled / unit : undefined;
}

/** Reads an unsigned length of 1 to 9 bytes, and how many bytes it took. Source: Cassandra, `VIntCoding`. */
export function readVint(bytes: Buffer, at: number): { value: bigint; length: number } {
  const first = bytes.readUInt8(at);
  const extra = Math.clz32(~(first << 24) >>> 0);
  const more = Math.min(extra, 8);
  let value = more === 8 ? 0n : BigInt(first & (0xff >> more));
  for (let index = 1; index <= more; index += 1) {
    value = (value << 8n) | BigInt(bytes.readUInt8(at + index));
  }
  return { value, length: more + 1 };
}

/** Writes an unsigned length below 2^64. */
export function vint(value: bigint): Buffer {
  const bits = value === 0n ? 1 : value.toString(2).length;
  const more = bits > 56 ? 8 : Math.floor((bits - 1) / 7);
  const bytes = Buffer.alloc(more + 1);
  let left = value;
  for (let index = more; index > 0; index -= 1) {
    bytes[index] = Number(left & 0xffn);
    left >>= 8n;
  }
  bytes[0] = more === 8 ? 0xff : Number(left) | (0xff & ~(0xff >> more));
  return bytes;
}

/** Signed numbers with the sign last, as lengths are written. */
export function zigzag(value: bigint): bigint {
  return BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
}

/** The signed number again. */
export function unzigzag(value: bigint): bigint {
  return (value >> 1n) ^ -(value & 1n);
}
