/** CQL's durations: months, days and nanoseconds apart, as bytes and as text. */
import { ReplyFault } from './bytes.ts';
import { readVint, unzigzag, vint, zigzag } from './numbers.ts';

/** All members are zero or of one sign. */
interface Duration {
  readonly months: bigint;
  readonly days: bigint;
  readonly nanoseconds: bigint;
}

/** Reads three signed lengths. Source: CQL binary protocol v5, section 6, `duration`. */
export function durationOf(bytes: Buffer): Duration {
  const months = readVint(bytes, 0);
  const days = readVint(bytes, months.length);
  const nanoseconds = readVint(bytes, months.length + days.length);
  if (months.length + days.length + nanoseconds.length !== bytes.length) {
    throw new ReplyFault('A duration is longer than its members');
  }
  return {
    months: unzigzag(months.value),
    days: unzigzag(days.value),
    nanoseconds: unzigzag(nanoseconds.value),
  };
}

/** Undefined where members differ in sign or do not fit. */
export function bytesOfDuration({ months, days, nanoseconds }: Duration): Buffer | undefined {
  const all = [months, days, nanoseconds];
  const isMixed = all.some((each) => each > 0n) && all.some((each) => each < 0n);
  const fits =
    BigInt.asIntN(32, months) === months &&
    BigInt.asIntN(32, days) === days &&
    BigInt.asIntN(64, nanoseconds) === nanoseconds;
  return isMixed || !fits ? undefined : Buffer.concat(all.map((each) => vint(zigzag(each))));
}

const NANOSECONDS = {
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  µs: 1_000n,
  ns: 1n,
} as const;
const ISO =
  /^(-?)P(?:(\d{1,10})Y)?(?:(\d{1,10})M)?(?:(\d{1,10})W)?(?:(\d{1,10})D)?(?:T(?:(\d{1,10})H)?(?:(\d{1,12})M)?(?:(\d{1,14})(?:[.,](\d{1,9}))?S)?)?$/i;
const OWN = /^(-?)((?:\d{1,19}(?:y|mo|w|d|h|ms|us|µs|ns|m|s))+)$/i;

/** `P1Y2M3DT4H5M6.789S`, `P2W`, or Cassandra's own `1y2mo3d4h5m6s`; undefined for any other text. */
export function parsedDuration(text: string): Duration | undefined {
  const iso = ISO.exec(text);
  if (iso && /\d/.test(text) && !/T$/i.test(text)) return fromIso(iso);
  const [, sign, parts] = OWN.exec(text) ?? [];
  return parts === undefined ? undefined : fromOwn(sign === '-', parts.toLowerCase());
}

function fromIso(parts: RegExpExecArray): Duration {
  const at = (index: number) => BigInt(parts[index] ?? '0');
  const fraction = BigInt((parts[9] ?? '').padEnd(9, '0'));
  return signed(parts[1] === '-', {
    months: at(2) * 12n + at(3),
    days: at(4) * 7n + at(5),
    nanoseconds: at(6) * NANOSECONDS.h + at(7) * NANOSECONDS.m + at(8) * NANOSECONDS.s + fraction,
  });
}

function fromOwn(isNegative: boolean, text: string): Duration {
  let [months, days, nanoseconds] = [0n, 0n, 0n];
  for (const [, digits = '0', unit] of text.matchAll(/(\d+)([^\d]+)/g)) {
    const value = BigInt(digits);
    if (unit === 'y') months += value * 12n;
    else if (unit === 'mo') months += value;
    else if (unit === 'w') days += value * 7n;
    else if (unit === 'd') days += value;
    else nanoseconds += value * NANOSECONDS[unit as keyof typeof NANOSECONDS]; // The pattern has no others.
  }
  return signed(isNegative, { months, days, nanoseconds });
}

function signed(isNegative: boolean, { months, days, nanoseconds }: Duration): Duration {
  if (!isNegative) return { months, days, nanoseconds };
  return { months: -months, days: -days, nanoseconds: -nanoseconds };
}
