/** What a command comes to: where its rows go, and what a server keeps of it. */
import type { Column } from '../../../kinds/mysql/dialect/types.ts';
import type { Packet } from './packets.ts';

/** Where rows go. The reader is at a row's first byte and is only good during the call. */
export interface Sink {
  /** Called once for each result set, before its rows. */
  columns?(columns: readonly Column[]): void;
  row?(reader: Packet): void;
  /** Largest row, in bytes; by default what the driver's own questions may answer. */
  readonly rowMax?: number;
  /** What it sets in its session the driver takes back itself: it does not count as changed. */
  readonly takenBack?: true;
  /** A row that is larger and left out. @param begun what has arrived of it, from its first byte */
  oversize?(begun: readonly Buffer[], columns: readonly Column[]): void;
}

/** What the server keeps of a prepared statement. */
export interface Prepared {
  readonly id: number;
  readonly parameters: number;
}

/** Commands that are sent with another in one trip, ahead of it and behind it. Servers answer them in their order. */
export interface Companions {
  readonly ahead: Buffer;
  readonly behind: Buffer;
}
