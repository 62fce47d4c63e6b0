/** Hostile replies from real ones, by choice: pure, so that the same choices make the same bytes. */
import type { Choices } from '../random.ts';
import type { Framing } from './kind.ts';
import { type Bytes, bytewise } from './mutate-bytes.ts';

/** What a hostile server does, one after another. */
export type Step =
  | { readonly send: Buffer }
  /** Milliseconds. */
  | { readonly wait: number }
  /** As fast as it is taken, or a piece every `every` milliseconds, up to so many bytes. */
  | { readonly flood: Buffer; readonly bytes: number; readonly every: number }
  /** `silent`: says nothing more on this connection. */
  | 'silent'
  | 'close'
  | 'reset';

/** A reply as a hostile server gives it. */
export interface Hostile {
  /** What was done, with what it takes to understand a fault. */
  readonly name: string;
  readonly steps: readonly Step[];
  /** All bytes of the real reply come, at most late: whatever is answered must be the real answer. */
  readonly isWhole: boolean;
  /** No byte but the real reply's comes, and not all of them: an answer must be the real one. */
  readonly isCut: boolean;
}

/** How much an endless reply may send, in bytes. */
export interface Floods {
  readonly usual: number;
  /** Of one in fifty. */
  readonly large: number;
}

/** What a mutation is made from. */
interface Source {
  /** The real reply, message by message. */
  readonly reply: readonly Buffer[];
  /** Messages of the same server's other replies. */
  readonly others: readonly Buffer[];
  readonly framing: Framing;
  readonly floods: Floods;
}

type Mutation = (choices: Choices, source: Source) => Hostile;

/** One hostile reply. */
export function mutate(choices: Choices, source: Source): Hostile {
  return choices.pick(MUTATIONS)(choices, source);
}

/** The real reply, to see that the player plays. */
export function unchanged({ reply }: Pick<Source, 'reply'>): Hostile {
  return { name: 'unchanged', steps: reply.map(sent), isWhole: true, isCut: false };
}

const sent = (bytes: Buffer): Step => ({ send: bytes });

function changed(name: string, steps: readonly Step[]): Hostile {
  return { name, steps, isWhole: false, isCut: false };
}

/** One message, or several, with other bytes. */
const otherBytes: Mutation = (choices, { reply, framing }) => {
  const messages = [...reply];
  const names: string[] = [];
  for (let left = choices.chance(0.8) ? 1 : 3; left > 0; left -= 1) {
    const at = Math.floor(choices.next() * messages.length);
    const message = messages[at];
    if (message === undefined || message.length === 0) continue;
    const { name, bytes }: Bytes = bytewise(choices, message, framing);
    messages[at] = bytes;
    names.push(`message ${at} of ${messages.length}: ${name}`);
  }
  // One write, so that nothing depends on how it is cut.
  return changed(names.join('; '), [sent(Buffer.concat(messages))]);
};

const cut: Mutation = (choices, { reply }) => {
  const whole = Buffer.concat([...reply]);
  const at = Math.floor(choices.next() * whole.length);
  const end = choices.pick<Step>(['silent', 'close', 'reset']);
  const steps = [sent(whole.subarray(0, at)), end];
  return {
    name: `cut at ${at} of ${whole.length}, ${String(end)}`,
    steps,
    isWhole: false,
    isCut: true,
  };
};

const late: Mutation = (choices, { reply }) => {
  const whole = Buffer.concat([...reply]);
  const at = Math.floor(choices.next() * (whole.length + 1));
  const wait = Math.ceil(choices.next() * 60);
  const steps = [sent(whole.subarray(0, at)), { wait }, sent(whole.subarray(at))];
  return { name: `${wait} ms late from ${at}`, steps, isWhole: true, isCut: false };
};

const inPieces: Mutation = (choices, { reply }) => {
  const whole = Buffer.concat([...reply]);
  const size = Math.max(1, Math.ceil(whole.length / Math.ceil(choices.next() * 40)));
  const steps: Step[] = [];
  for (let at = 0; at < whole.length; at += size) {
    steps.push(sent(whole.subarray(at, at + size)), { wait: 1 });
  }
  return { name: `in pieces of ${size}`, steps, isWhole: true, isCut: false };
};

const repeated: Mutation = (choices, { reply }) => {
  const at = Math.floor(choices.next() * reply.length);
  const times = choices.pick([1, 1, 1, 2, 50]);
  const again = Array.from({ length: times }, () => reply[at] ?? Buffer.alloc(0));
  const messages = [...reply.slice(0, at), ...again, ...reply.slice(at)];
  return changed(`message ${at} ${times} times more`, [sent(Buffer.concat(messages))]);
};

const dropped: Mutation = (choices, { reply }) => {
  const at = Math.floor(choices.next() * reply.length);
  return changed(`without message ${at}`, [sent(Buffer.concat(reply.toSpliced(at, 1)))]);
};

const reordered: Mutation = (choices, { reply }) => {
  const from = Math.floor(choices.next() * reply.length);
  const to = Math.floor(choices.next() * reply.length);
  const moved = reply.toSpliced(from, 1).toSpliced(to, 0, reply[from] ?? Buffer.alloc(0));
  return changed(`message ${from} at ${to}`, [sent(Buffer.concat(moved))]);
};

const inserted: Mutation = (choices, { reply, others }) => {
  const at = Math.floor(choices.next() * (reply.length + 1));
  const other = choices.pickAny(others) ?? Buffer.from('x');
  const messages = reply.toSpliced(at, choices.chance(0.5) ? 1 : 0, other);
  return changed(`another reply's message at ${at}: ${shown(other)}`, [
    sent(Buffer.concat(messages)),
  ]);
};

const garbage: Mutation = (choices, { reply }) => {
  const whole = Buffer.concat([...reply]);
  const at = Math.floor(choices.next() * (whole.length + 1));
  const length = choices.pick([1, 2, 4, 7, 64, 1_000, 100_000]);
  const bytes = Buffer.from(Array.from({ length }, () => Math.floor(choices.next() * 256)));
  const rest = choices.chance(0.5) ? [whole.subarray(at)] : [];
  return changed(`${length} bytes of garbage at ${at}`, [
    sent(Buffer.concat([whole.subarray(0, at), bytes, ...rest])),
  ]);
};

/** A message for ever: of rows, of notices, of what comes once. */
const endless: Mutation = (choices, { reply, floods }) => {
  const at = Math.floor(choices.next() * reply.length);
  const message = reply[at] ?? Buffer.from('x');
  const flood = Buffer.concat(Array.from({ length: copies(message.length) }, () => message));
  const before = Buffer.concat(reply.slice(0, at));
  const steps = [sent(before), flooding(choices, floods, flood), 'silent' as const];
  return changed(`message ${at} for ever`, steps);
};

/** A text that has no end, and perhaps a length that says so. */
const unending: Mutation = (choices, { reply, floods, framing }) => {
  const at = Math.floor(choices.next() * reply.length);
  const message = Buffer.from(reply[at] ?? []);
  const { length } = framing;
  const told = length !== undefined && choices.chance(0.8);
  if (told) writeLength(message, length, choices.pick([600_000_000, 0x7fff_ffff, 0xffff_ffff]));
  const from = told
    ? Math.max(Math.floor(choices.next() * message.length), length.at + length.size)
    : Math.floor(choices.next() * message.length);
  const fill = choices.pick([0x61, 0x31, 0x20, 0x00, 0xff, 0x5b]);
  const flood = Buffer.alloc(65_536, fill);
  const before = Buffer.concat([...reply.slice(0, at), message.subarray(0, from)]);
  const steps = [
    sent(before),
    flooding(choices, floods, flood),
    choices.pick<Step>(['silent', 'close']),
  ];
  return changed(
    `message ${at} goes on from ${from} with ${fill} for ever${told ? ', as its length says' : ''}`,
    steps,
  );
};

function flooding(choices: Choices, floods: Floods, flood: Buffer): Step {
  const bytes = choices.chance(0.02) ? floods.large : floods.usual;
  return { flood, bytes, every: choices.chance(0.3) ? 5 : 0 };
}

const copies = (length: number) => Math.max(1, Math.min(2_000, Math.floor(65_536 / (length || 1))));

/** Writes a length into its place; what does not fit is cut. */
function writeLength(message: Buffer, length: NonNullable<Framing['length']>, value: number): void {
  const { at, size, order } = length;
  if (message.length < at + size) return;
  const kept = Math.min(value, 2 ** (8 * size) - 1);
  if (order === 'BE') message.writeUIntBE(kept, at, size);
  else message.writeUIntLE(kept, at, size);
}

function shown(bytes: Buffer): string {
  return JSON.stringify(bytes.subarray(0, 40).toString('latin1'));
}

/** The first stands for more than half: bytes are where the ways to be wrong are. */
const MUTATIONS: readonly [Mutation, ...Mutation[]] = [
  otherBytes,
  ...Array.from({ length: 11 }, () => otherBytes),
  cut,
  late,
  inPieces,
  repeated,
  dropped,
  reordered,
  inserted,
  garbage,
  endless,
  unending,
];
