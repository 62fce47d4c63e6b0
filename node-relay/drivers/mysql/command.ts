/** A command under way: where its answer is, and what goes around it. */
import type { Column } from '../../../kinds/mysql/dialect/types.ts';
import { Unreadable } from '../loss.ts';
import type { Companions, Prepared, Sink } from './exchange.ts';
import { type Outcome, PAYLOAD_MAX, type Packet } from './packets.ts';

/** One command under way. */
export interface Command {
  readonly sink: Sink;
  readonly kind: 'result' | 'prepare';
  readonly resolve: (outcome: Outcome & { prepared?: Prepared }) => void;
  readonly reject: (error: Error) => void;
  /** How many packets of it, or of what goes ahead of it, are answered first. */
  readonly answered: number;
  /** Whether it may change what is kept. */
  readonly commits: boolean;
  state: 'ahead' | 'first' | 'columns' | 'columns end' | 'rows' | 'definitions' | 'behind';
  /** How many packets the command has, where others go around it. */
  readonly among: number | undefined;
  /** Reports what it came to, once what goes behind it is answered. */
  told?: () => void;
  /** Columns to come, or definitions with the packets that end them. */
  left: number;
  columns: Column[];
  columnBytes: number;
  prepared?: Prepared;
  failure?: Error;
}

/** What is written for a command, and how its answer begins. */
interface SentCommand extends Pick<Command, 'state' | 'among' | 'answered'> {
  readonly whole: Buffer;
}

/** A command with what goes around it, in one piece. */
export function sending(bytes: Buffer, companions: Companions | undefined): SentCommand {
  const packets = packetsOf(bytes);
  if (companions === undefined) {
    return { whole: bytes, answered: packets, state: 'first', among: undefined };
  }
  const { ahead, behind } = companions;
  const whole = Buffer.concat([ahead, bytes, behind]);
  return { whole, answered: packetsOf(ahead), state: 'ahead', among: packets };
}

/** How many packets a command is sent in. */
function packetsOf(command: Buffer): number {
  return Math.floor((command.length - 4) / (PAYLOAD_MAX + 4)) + 1;
}

/** Answers the status. Source: "EOF_Packet". */
export function readEnd(reader: Packet): number {
  if (reader.u8() !== 0xfe) throw new Unreadable('columns without an end');
  // Warnings, which are not used.
  reader.over(2);
  const status = reader.u16();
  reader.done();
  return status;
}
