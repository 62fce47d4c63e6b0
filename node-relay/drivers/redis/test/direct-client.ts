/** A client of RESP for tests, which shares no code with the driver: what it reads is compared with what the driver answers. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A reply as it stood on the wire: the byte of its type, and its text or its parts. */
export interface Wire {
  readonly type: string;
  readonly text?: Buffer;
  readonly parts?: readonly Wire[];
}

/** One connection. Commands go out one after another. */
export class DirectClient {
  /** Pushes that came meanwhile. */
  readonly pushes: Wire[] = [];
  readonly #socket: Socket;
  #waiting: ((reply: Wire) => void)[] = [];
  #bytes = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', () => {});
  }

  /** Connects, logs in where the URL says how, and speaks that version of the protocol. */
  static async connect(url: string, protocol: 2 | 3 = 3): Promise<DirectClient> {
    const { hostname, port, username, password } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    const client = new DirectClient(socket);
    const login = password === '' ? [] : ['AUTH', decodeURIComponent(username) || 'default'];
    if (password !== '') login.push(decodeURIComponent(password));
    await client.send('HELLO', String(protocol), ...login);
    return client;
  }

  send(...words: readonly (string | Buffer)[]): Promise<Wire> {
    const { promise, resolve } = Promise.withResolvers<Wire>();
    this.#waiting.push(resolve);
    const pieces = words.flatMap((word) => {
      const bytes = Buffer.from(word);
      return [Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n')];
    });
    this.#socket.write(Buffer.concat([Buffer.from(`*${words.length}\r\n`), ...pieces]));
    return promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      const found = parse(this.#bytes, 0);
      if (found === undefined) return;
      this.#bytes = this.#bytes.subarray(found.end);
      if (found.reply.type === '>') this.pushes.push(found.reply);
      else this.#waiting.shift()?.(found.reply);
    }
  }
}

interface Found {
  readonly reply: Wire;
  readonly end: number;
}

/** One reply that begins at `at`; undefined until all of it is there. */
function parse(bytes: Buffer, at: number): Found | undefined {
  const line = bytes.indexOf('\r\n', at);
  if (line < 0) return undefined;
  const type = String.fromCharCode(bytes[at] ?? 0);
  const head = bytes.subarray(at + 1, line);
  const length = Number(head.toString());
  const next = line + 2;
  if ('$=!'.includes(type)) return blob(bytes, type, length, next);
  if (!'*%~>|'.includes(type)) return { reply: { type, text: head }, end: next };
  if (length < 0) return { reply: { type: '_' }, end: next };
  return parts(bytes, type, type === '%' || type === '|' ? 2 * length : length, next);
}

function blob(bytes: Buffer, type: string, length: number, at: number): Found | undefined {
  if (length < 0) return { reply: { type: '_' }, end: at };
  if (bytes.length < at + length + 2) return undefined;
  // A verbatim string says first what it is.
  const text = bytes.subarray(type === '=' ? at + 4 : at, at + length);
  return { reply: { type, text: Buffer.from(text) }, end: at + length + 2 };
}

function parts(bytes: Buffer, type: string, count: number, at: number): Found | undefined {
  const list: Wire[] = [];
  let end = at;
  for (let index = 0; index < count; index += 1) {
    const found = parse(bytes, end);
    if (found === undefined) return undefined;
    list.push(found.reply);
    end = found.end;
  }
  return { reply: { type, parts: list }, end };
}
