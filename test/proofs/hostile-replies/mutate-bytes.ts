/** One message with other bytes: bits, numbers, lengths, digits, ends of texts. */
import type { Choices } from '../random.ts';
import type { Framing } from './kind.ts';

/** A changed message and what was done to it. */
export interface Bytes {
  readonly name: string;
  readonly bytes: Buffer;
}

type Change = (choices: Choices, message: Buffer, framing: Framing) => Bytes;

/** Changes one message; it has at least one byte. */
export function bytewise(choices: Choices, message: Buffer, framing: Framing): Bytes {
  return choices.pick(CHANGES)(choices, message, framing);
}

/** Half of the places are where heads are. */
function place(choices: Choices, message: Buffer): number {
  const within = choices.chance(0.5) ? Math.min(24, message.length) : message.length;
  return Math.floor(choices.next() * within);
}

const bits: Change = (choices, message) => {
  const bytes = Buffer.from(message);
  const places: number[] = [];
  for (let left = choices.pick([1, 1, 1, 2, 8]); left > 0; left -= 1) {
    const at = place(choices, bytes);
    const bit = Math.floor(choices.next() * 8);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
    places.push(at * 8 + bit);
  }
  return { name: `bits ${places}`, bytes };
};

const SIZES = [1, 2, 4, 8] as const;

/** Any place might be a number: it becomes a border, or nearly what it was. */
const number: Change = (choices, message) => {
  const bytes = Buffer.from(message);
  const at = place(choices, bytes);
  const size = Math.min(choices.pick([...SIZES]), bytes.length - at);
  const order = choices.pick<Order>(['BE', 'LE']);
  const was = read(bytes, at, size, order);
  const top = 1n << BigInt(8 * size);
  const value = choices.pick([
    0n,
    1n,
    top - 1n,
    top - 2n,
    top / 2n,
    top / 2n - 1n,
    was + 1n,
    was - 1n,
    was * 2n,
    was + 4n,
    was - 4n,
    BigInt(Math.floor(choices.next() * 20)),
    BigInt(Math.floor(choices.next() * 2 ** 32)),
  ]);
  write(bytes, at, size, order, ((value % top) + top) % top);
  return { name: `${order} number of ${size} at ${at}: ${was} to ${value}`, bytes };
};

/** The length that a message reports about itself, with the same bytes behind it. */
const length: Change = (choices, message, framing) => {
  const field = framing.length;
  if (field === undefined || message.length < field.at + field.size) {
    return number(choices, message, framing);
  }
  const bytes = Buffer.from(message);
  const { at, size, order } = field;
  const was = read(bytes, at, size, order);
  const top = 1n << BigInt(8 * size);
  const value = choices.pick([
    0n,
    1n,
    was - 1n,
    was + 1n,
    was - 4n,
    was + 4n,
    was + 1_000n,
    top - 1n,
    top - 2n,
    top / 2n,
    600_000_000n,
    BigInt(Math.floor(choices.next() * Number(was + 2n))),
  ]);
  write(bytes, at, size, order, ((value % top) + top) % top);
  return { name: `length ${was} to ${value}`, bytes };
};

/** Numbers that are written out: lengths and counts of text protocols. */
const digits: Change = (choices, message, framing) => {
  const text = message.toString('latin1');
  const found = choices.pickAny([...text.matchAll(/\d+/g)]);
  if (found === undefined) return bits(choices, message, framing);
  const was = found[0];
  const other = choices.pick([
    '0',
    '-1',
    '-2',
    String(Number(was) + 1),
    String(Number(was) - 1),
    '600000000',
    '2147483648',
    '9223372036854775808',
    '1e9',
    '0x10',
    '',
    `${was}0`,
    '9'.repeat(400),
  ]);
  const bytes = Buffer.from(
    text.slice(0, found.index) + other + text.slice(found.index + was.length),
    'latin1',
  );
  return { name: `digits ${was} at ${found.index} to ${other.slice(0, 20)}`, bytes };
};

/** Texts that end in a zero, or a line's end, end no more. */
const terminators: Change = (choices, message, framing) => {
  const ends = [...message.keys()].filter((at) => message[at] === 0 || message[at] === 10);
  const from = choices.pickAny(ends);
  if (from === undefined) return bits(choices, message, framing);
  const bytes = Buffer.from(message);
  const all = choices.chance(0.5);
  for (const at of ends) if (at === from || (all && at > from)) bytes[at] = 0x61;
  return { name: `${all ? 'no ends' : 'no end'} from ${from}`, bytes };
};

const shorter: Change = (choices, message) => {
  const at = Math.floor(choices.next() * message.length);
  const length = Math.ceil(choices.next() * Math.min(8, message.length - at));
  const bytes = Buffer.concat([message.subarray(0, at), message.subarray(at + length)]);
  return { name: `${length} bytes less at ${at}`, bytes };
};

const longer: Change = (choices, message) => {
  const at = place(choices, message);
  const length = Math.ceil(choices.next() * 8);
  const more = Buffer.from(
    Array.from({ length }, () => choices.pick([0, 1, 0xff, 0xfb, 0xfe, 0x61])),
  );
  const bytes = Buffer.concat([message.subarray(0, at), more, message.subarray(at)]);
  return { name: `${more.length} bytes more at ${at}`, bytes };
};

const filled: Change = (choices, message) => {
  const bytes = Buffer.from(message);
  const at = place(choices, message);
  const end = at + Math.ceil(choices.next() * (message.length - at));
  const fill = choices.pick([0, 0xff, 0x61]);
  bytes.fill(fill, at, end);
  return { name: `${at} to ${end} filled with ${fill}`, bytes };
};

type Order = 'BE' | 'LE';

function read(bytes: Buffer, at: number, size: number, order: Order): bigint {
  const own = [...bytes.subarray(at, at + size)];
  if (order === 'LE') own.reverse();
  return own.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function write(bytes: Buffer, at: number, size: number, order: Order, value: bigint): void {
  for (let index = 0; index < size; index += 1) {
    const shift = BigInt(8 * (order === 'LE' ? index : size - 1 - index));
    bytes[at + index] = Number((value >> shift) & 0xffn);
  }
}

const CHANGES: readonly [Change, ...Change[]] = [
  bits,
  bits,
  number,
  number,
  number,
  length,
  length,
  digits,
  terminators,
  shorter,
  longer,
  filled,
];
