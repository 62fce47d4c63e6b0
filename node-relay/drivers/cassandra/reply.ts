/** Reads a server's messages: what a statement came to, what was prepared, what is refused. Source: CQL binary protocol v4, section 4.2. */
import cassandra from 'cassandra-driver';
import { ReplyFault, ReplyReader } from './bytes.ts';
import { type Frame, Opcode } from './frames.ts';
import { type Metadata, type ProtocolColumn, readMetadata } from './metadata.ts';

/** What the server says besides its answer. */
interface Extras {
  readonly traceId?: object;
  readonly warnings?: readonly string[];
}

/** What the server answers to a statement. */
export interface StatementReply {
  readonly kind: 'rows' | 'done';
  readonly meta?: Metadata;
  /** The rows as they came: cells after each other, each with its length. */
  readonly raw?: Buffer;
  readonly rowCount?: number;
  readonly flags: Extras;
}

/** A statement that the server knows by its id. */
export interface Prepared {
  readonly kind: 'prepared';
  readonly id: Buffer;
  readonly meta: { readonly columns: readonly ProtocolColumn[] };
}

/** What a server may say. */
export type Reply =
  | StatementReply
  | Prepared
  | { readonly kind: 'entered' }
  | { readonly kind: 'asks'; readonly first: boolean };

const TRACING = 0x02;
const PAYLOAD = 0x04;
const WARNINGS = 0x08;

/** Reads a message. @throws ResponseError as the server says, ReplyFault */
export function readReply({ opcode, flags, body }: Frame): Reply {
  const reader = new ReplyReader(body);
  const extras = readExtras(reader, flags);
  switch (opcode) {
    case Opcode.ready:
    case Opcode.authSuccess:
      return { kind: 'entered' };
    case Opcode.authenticate:
    case Opcode.authChallenge:
      return { kind: 'asks', first: opcode === Opcode.authenticate };
    case Opcode.error:
      throw new cassandra.errors.ResponseError(reader.int(), reader.string());
    default:
      return readResult(reader, extras);
  }
}

function readExtras(reader: ReplyReader, flags: number): Extras {
  if (flags === 0) return NONE;
  const trace =
    flags & TRACING ? { traceId: new cassandra.types.Uuid(Buffer.from(reader.take(16))) } : {};
  const warnings = flags & WARNINGS ? { warnings: reader.strings() } : {};
  if (flags & PAYLOAD) {
    for (let left = reader.short(); left > 0; left -= 1) {
      reader.string();
      reader.bytes();
    }
  }
  return { ...trace, ...warnings };
}

const NONE: Extras = {};

const ROWS = 2;

function readResult(reader: ReplyReader, flags: Extras): StatementReply | Prepared {
  const kind = reader.int();
  switch (kind) {
    case ROWS:
      return readRows(reader, flags);
    case 4:
      return readPrepared(reader);
    // Nothing, the keyspace that is used now, a changed schema.
    case 1:
    case 3:
    case 5:
      return { kind: 'done', flags };
    default:
      throw new ReplyFault(`There is no result of kind ${kind}`);
  }
}

const CELL_BYTES = 4;

/** Rows stay bytes until they are written. */
function readRows(reader: ReplyReader, flags: Extras): StatementReply {
  const meta = readMetadata(reader, false);
  const rowCount = reader.int();
  const cells = rowCount * meta.columns.length;
  const isPossible =
    rowCount >= 0 &&
    (rowCount === 0 || meta.columns.length > 0) &&
    cells * CELL_BYTES <= reader.left;
  if (!isPossible) throw new ReplyFault(`${rowCount} rows cannot follow`);
  return { kind: 'rows', meta, raw: reader.rest(), rowCount, flags };
}

function readPrepared(reader: ReplyReader): Prepared {
  // Kept longer than what it came in.
  const id = Buffer.from(reader.shortBytes());
  const { columns } = readMetadata(reader, true);
  return { kind: 'prepared', id, meta: { columns } };
}

/**
 * The column whose value alone is larger than `max` bytes, by what has come of an answer.
 * @param start its beginning
 */
export function columnOver(max: number, start: Buffer, flags: number): string | undefined {
  try {
    const reader = new ReplyReader(start);
    readExtras(reader, flags);
    if (reader.int() !== ROWS) return undefined;
    const { columns } = readMetadata(reader, false);
    if (columns.length === 0) return undefined;
    for (let left = reader.int(), index = 0; left > 0; index += 1) {
      const column = columns[index % columns.length];
      const length = reader.int();
      if (length > max) return column?.name;
      if (length > 0) reader.take(length);
      if (index % columns.length === columns.length - 1) left -= 1;
    }
    return undefined;
  } catch {
    // No more of it has come.
    return undefined;
  }
}
