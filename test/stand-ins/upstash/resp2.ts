/** RESP2 as bytes: what a Redis server replies, and what it is sent. Source: redis.io/docs/latest/develop/reference/protocol-spec. */

/** A reply; integers keep their digits, bulk strings are bytes. */
export type Resp2 =
  | null
  | { readonly simple: string }
  | { readonly error: string }
  | { readonly integer: string }
  | Buffer
  | readonly Resp2[];

/** A reply, and the bytes that it came as. */
export interface Resp2Reply {
  readonly value: Resp2;
  readonly bytes: Buffer;
}

const CRLF = '\r\n';

/** A command as it is sent. */
export function commandBytes(words: readonly (string | Buffer)[]): Buffer {
  const pieces = words.flatMap((word) => {
    const bytes = Buffer.from(word);
    return [Buffer.from(`$${bytes.byteLength}${CRLF}`), bytes, Buffer.from(CRLF)];
  });
  return Buffer.concat([Buffer.from(`*${words.length}${CRLF}`), ...pieces]);
}

/** Takes bytes as they arrive and gives whole replies. */
export class Resp2Reader {
  #left: Buffer = Buffer.alloc(0);

  /** The replies that these bytes complete. */
  feed(chunk: Buffer): Resp2Reply[] {
    this.#left = Buffer.concat([this.#left, chunk]);
    const replies: Resp2Reply[] = [];
    for (;;) {
      const read = readAt(this.#left, 0);
      if (read === undefined) return replies;
      replies.push({ value: read.value, bytes: this.#left.subarray(0, read.end) });
      this.#left = this.#left.subarray(read.end);
    }
  }
}

interface Read {
  readonly value: Resp2;
  readonly end: number;
}

/** The reply that begins there; `undefined` while it is not whole. */
function readAt(bytes: Buffer, start: number): Read | undefined {
  const lineEnd = bytes.indexOf(CRLF, start);
  if (lineEnd < 0) return undefined;
  const line = bytes.toString('utf8', start + 1, lineEnd);
  const end = lineEnd + CRLF.length;
  switch (String.fromCharCode(bytes[start] ?? 0)) {
    case '+':
      return { value: { simple: line }, end };
    case '-':
      return { value: { error: line }, end };
    case ':':
      return { value: { integer: line }, end };
    case '$':
      return readBulk(bytes, end, Number(line));
    case '*':
      return readArray(bytes, end, Number(line));
    default:
      throw new Error(`Not RESP2: ${bytes.toString('latin1', start, lineEnd)}`);
  }
}

function readBulk(bytes: Buffer, start: number, length: number): Read | undefined {
  if (length < 0) return { value: null, end: start };
  const end = start + length + CRLF.length;
  if (bytes.byteLength < end) return undefined;
  return { value: bytes.subarray(start, start + length), end };
}

function readArray(bytes: Buffer, start: number, length: number): Read | undefined {
  if (length < 0) return { value: null, end: start };
  const value: Resp2[] = [];
  let end = start;
  for (let nth = 0; nth < length; nth += 1) {
    const read = readAt(bytes, end);
    if (read === undefined) return undefined;
    value.push(read.value);
    end = read.end;
  }
  return { value, end };
}

/** Whether a reply is the server's refusal. */
export function isError(value: Resp2): value is { readonly error: string } {
  return value !== null && typeof value === 'object' && 'error' in value;
}
