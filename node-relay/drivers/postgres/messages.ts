/** Messages to a PostgreSQL server as bytes, several in one buffer. Source: PostgreSQL manual, "Message Formats". */
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import type { FieldValue } from '../../../kinds/postgres/dialect/encode.ts';

/** Sync ends an implicit transaction, Flush only asks for what is ready. */
type ExchangeEnd = 'sync' | 'flush';

const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

/** One message being sized or written: the same steps run twice, first to count and then to fill. */
class Message {
  readonly #buffer: Buffer | undefined;
  at: number;

  constructor(buffer: Buffer | undefined, at: number) {
    this.#buffer = buffer;
    this.at = at;
  }

  int16(value: number): this {
    this.#buffer?.writeUInt16BE(value, this.at);
    this.at += 2;
    return this;
  }

  int32(value: number): this {
    this.#buffer?.writeInt32BE(value | 0, this.at);
    this.at += LENGTH_BYTES;
    return this;
  }

  text(text: string): this {
    this.at += this.#buffer ? this.#buffer.write(text, this.at) : Buffer.byteLength(text);
    return this;
  }

  terminated(text: string): this {
    this.text(text);
    if (this.#buffer) this.#buffer[this.at] = 0;
    this.at += 1;
    return this;
  }

  value(value: FieldValue): this {
    if (value === null) return this.int32(NULL_LENGTH);
    const start = this.at;
    this.int32(0).text(value);
    this.#buffer?.writeInt32BE(this.at - start - LENGTH_BYTES, start);
    return this;
  }
}

type Fill = (message: Message) => void;

/** A message of one letter, whose length is written by itself. */
interface MessagePart {
  readonly letter: string;
  readonly fill: Fill;
}

const nothing: Fill = () => {};
const ENDINGS = {
  sync: { letter: 'S', fill: nothing },
  flush: { letter: 'H', fill: nothing },
} satisfies Record<ExchangeEnd, MessagePart>;

function parse({ text, types = [] }: Statement): MessagePart {
  return {
    letter: 'P',
    fill: (message) => {
      message.terminated('').terminated(text).int16(types.length);
      for (const oid of types) message.int32(oid);
    },
  };
}

function bind({ values = [] }: Statement, portal: string): MessagePart {
  return {
    letter: 'B',
    // No format codes: all text, both ways.
    fill: (message) => {
      message.terminated(portal).terminated('').int16(0).int16(values.length);
      for (const value of values) message.value(value);
      message.int16(0);
    },
  };
}

function describe(letter: 'P' | 'S', name: string): MessagePart {
  return { letter: 'D', fill: (message) => message.text(letter).terminated(name) };
}

function execute(portal: string): MessagePart {
  return { letter: 'E', fill: (message) => message.terminated(portal).int32(0) };
}

function bytesOf(parts: readonly MessagePart[]): Buffer {
  const sized = new Message(undefined, 0);
  for (const { fill } of parts) {
    sized.at += 1 + LENGTH_BYTES;
    fill(sized);
  }
  const buffer = Buffer.allocUnsafe(sized.at);
  const message = new Message(buffer, 0);
  for (const { letter, fill } of parts) {
    const start = message.at + 1;
    buffer.write(letter, message.at, 'latin1');
    message.at = start + LENGTH_BYTES;
    fill(message);
    buffer.writeInt32BE(message.at - start, start);
  }
  return buffer;
}

/** Parse, Bind, Describe and Execute of each statement. */
export function statementMessages(statements: readonly Statement[], ending: ExchangeEnd): Buffer {
  const parts = statements.flatMap((statement) => [
    parse(statement),
    bind(statement, ''),
    describe('P', ''),
    execute(''),
  ]);
  return bytesOf([...parts, ENDINGS[ending]]);
}

/** Asks what types a statement's parameters have. */
export function parameterQuestion(statement: Statement): Buffer {
  return bytesOf([parse(statement), describe('S', ''), ENDINGS.sync]);
}

/** Binds a statement to a named portal and asks what its rows hold. */
export function portalMessages(statement: Statement, portal: string): Buffer {
  return bytesOf([parse(statement), bind(statement, portal), describe('P', portal), ENDINGS.flush]);
}

/** Runs a portal to its end. */
export function executeMessages(portal: string): Buffer {
  return bytesOf([execute(portal), ENDINGS.flush]);
}

/** Ends an implicit transaction. */
export const SYNC = bytesOf([ENDINGS.sync]);

const COPY_PIECE_BYTES = 65_536;

/** COPY data in pieces and its end; then Sync, because the server drops one that it reads before. */
export function copyMessages(data: Buffer | undefined): Buffer[] {
  if (!data) {
    const refused: MessagePart = { letter: 'f', fill: (message) => message.terminated('no data') };
    return [bytesOf([refused, ENDINGS.sync])];
  }
  const buffers: Buffer[] = [];
  for (let at = 0; at < data.length; at += COPY_PIECE_BYTES) {
    const piece = data.subarray(at, at + COPY_PIECE_BYTES);
    const head = Buffer.from([0x64, 0, 0, 0, 0]);
    head.writeInt32BE(piece.length + LENGTH_BYTES, 1);
    buffers.push(head, piece);
  }
  buffers.push(bytesOf([{ letter: 'c', fill: nothing }, ENDINGS.sync]));
  return buffers;
}
