/** What the driver sends to a server at once, and where the answer goes. */
import type { FieldValue } from '../../../kinds/postgres/dialect/encode.ts';
import type { Field } from '../../../kinds/postgres/dialect/rows.ts';

/** Where the answer to an exchange goes; what is left out is not wanted. */
export interface Sink {
  /** Called once before the rows; not at all when the statement yields none. */
  fields?(fields: readonly Field[]): void;
  /** @param bytes that it came in */
  row?(values: readonly FieldValue[], bytes: number): void;
  copyOut?(chunk: Buffer): void;
  /** What to send when the server asks for COPY data. */
  copyIn?: Buffer;
  parameters?(oids: readonly number[]): void;
  /** A row or a piece of COPY that is too large and left out; its column's name, where one value alone is. */
  oversize?(field: string | undefined): void;
}

/** What an exchange sends and when it ends. */
export interface Exchange {
  /** Whole messages. */
  readonly bytes: Buffer;
  /** `ready`: `bytes` end in Sync; `complete` and `described`: they end in Flush. */
  readonly until: 'ready' | 'complete' | 'described';
  /** Which Execute's rows and tag count, from 0; the answers of those before it are dropped. */
  readonly main?: number;
  /** Whether the change may be kept once this is sent. */
  readonly commits?: boolean;
  readonly sink?: Sink;
  /** Where the rows of others go, by their places. */
  readonly others?: ReadonlyMap<number, Sink>;
  /** Takes the failure of what comes behind the main Execute, which then has not failed. */
  readonly behind?: (error: Error) => void;
  /** Largest row or piece of COPY, in bytes; by default what the driver's own questions may answer. */
  readonly rowMax?: number;
  /** Columns of a portal that was bound and described before. */
  readonly portal?: readonly Field[];
  /** False when nothing is executed. */
  readonly runs?: false;
  /** Whatever its statements are called, no transaction is open afterwards. */
  readonly ends?: true;
}
