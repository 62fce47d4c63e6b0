/** One request through a tunnel: sent as frames, and answered as soon as the reply's head is here. */
import { GatheredBytes } from '../../../proto/gathered-bytes.ts';
import type { Break, Call, CallListener } from '../../../proto/tunnel/call.ts';
import type { CallingEnd } from '../../../proto/tunnel/end.ts';
import type { ReplyHead, RequestHead } from '../../../proto/tunnel/frame.ts';
import { broken } from '../../drivers/tunnel-reply.ts';
import type { HeldReplies, Holding } from './held-replies.ts';

/** A body of at most so many bytes is read whole, and travels with its head. */
const WHOLE_MAX_BYTES = 64 * 1024;
/** The relay's handlers ask that there is one. */
const HOST = 'node';

/** What bounds the memory of replies. */
interface HeldBy {
  readonly organization: string;
  readonly replies: HeldReplies;
  /** Does work soon, on behalf of the object whose tunnel it is: the runtime lets no other object use its sockets. */
  later(work: () => void): void;
}

/** Sends the request; answers the reply, or what `broken` makes of a call that has none. */
export async function exchange(
  request: Request,
  end: CallingEnd,
  { organization, replies, later }: HeldBy,
): Promise<Response> {
  const whole = await wholeBody(request);
  if (end.isClosed) return broken('refused');
  // A reply of another node may be what is too much.
  const drop = (): void => {
    reply.drop();
    later(() => reply.leave());
  };
  const reply: Reply = new Reply(replies.begin(organization, drop));
  const call = end.call(headOf(request, whole), reply);
  reply.call = call;
  const leave = (): void => reply.giveUp();
  request.signal.addEventListener('abort', leave);
  if (request.signal.aborted) leave();
  if (whole === undefined) void sendBody(request, call);
  else {
    if (whole.byteLength > 0) void call.write(whole);
    call.end();
  }
  return reply.response;
}

function headOf({ method, url, headers }: Request, whole: Uint8Array | undefined): RequestHead {
  const { pathname, search } = new URL(url);
  const length = whole === undefined ? {} : { 'content-length': String(whole.byteLength) };
  const named = { ...Object.fromEntries(headers), ...length, host: HOST };
  return { method, path: pathname + search, headers: named };
}

/** The body, of a request that has none or a short one; undefined of others. */
async function wholeBody(request: Request): Promise<Uint8Array | undefined> {
  if (request.body === null) return new Uint8Array();
  const length = request.headers.get('Content-Length');
  if (length === null || Number(length) > WHOLE_MAX_BYTES) return undefined;
  return new Uint8Array(await request.arrayBuffer());
}

/** A body of unknown length: as fast as the relay takes it. A client that leaves ends the call. */
async function sendBody({ body }: Request, call: Call): Promise<void> {
  try {
    for await (const part of body ?? []) await call.write(part);
    call.end();
  } catch {
    call.reset('cancelled');
  }
}

/** What comes back. */
class Reply implements CallListener {
  readonly #response = Promise.withResolvers<Response>();
  call: Call | undefined;
  #head: ReplyHead | undefined;
  readonly #gathered = new GatheredBytes();
  readonly #holding: Holding;
  #hasEnded = false;
  #how: Break | undefined;
  /** Set while a reader waits for what comes next. */
  #more: (() => void) | undefined;

  constructor(holding: Holding) {
    this.#holding = holding;
  }

  get response(): Promise<Response> {
    return this.#response.promise;
  }

  head(head: ReplyHead): void {
    this.#head = head;
    // A short body is in the same message.
    queueMicrotask(() => this.#resolve(head));
  }

  /** Kept is no more than what counts: a part is a view of its message, and may be a byte of 128 KiB. */
  data(bytes: Uint8Array): void {
    if (this.#how !== undefined) return;
    const isMost = bytes.byteLength * 2 > bytes.buffer.byteLength;
    this.#gathered.add(isMost ? bytes : bytes.slice());
    this.#holding.add(isMost ? bytes.buffer.byteLength : bytes.byteLength);
    this.#more?.();
  }

  end(): void {
    // What was dropped must not look as if it had come whole.
    if (this.#how !== undefined) return;
    this.#hasEnded = true;
    this.#more?.();
  }

  broken(how: Break): void {
    this.#how = how;
    if (this.#head === undefined) this.#response.resolve(broken(how));
    this.#more?.();
  }

  /** Nobody reads it any more: it breaks off. */
  giveUp(): void {
    this.drop();
    this.leave();
  }

  /** Not read as fast as others need the memory: it breaks off, and the relay is not told yet. */
  drop(): void {
    this.#take();
    // What came whole, and is dropped, must not look like an empty body.
    this.#hasEnded = false;
    this.broken('lost');
  }

  /** Tells the relay. */
  leave(): void {
    this.call?.reset('cancelled');
  }

  #take(): Uint8Array {
    this.#holding.release();
    return this.#gathered.take();
  }

  /** A head that no reply can have, such as one with a line break, fails the call alone. */
  #resolve(head: ReplyHead): void {
    try {
      this.#response.resolve(this.#answer(head));
    } catch {
      this.#take();
      this.call?.reset('failed');
      this.#response.resolve(broken('failed'));
    }
  }

  #answer({ status, headers }: ReplyHead): Response {
    if (this.#how !== undefined) return broken(this.#how);
    const body = this.#hasEnded ? this.#take() : this.#stream();
    return new Response(body, { status, headers });
  }

  #stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const part = await this.#next();
          if (part === undefined) return controller.close();
          controller.enqueue(part);
          this.call?.consumed(part.byteLength);
        },
        cancel: () => this.giveUp(),
      },
      { highWaterMark: 0 },
    );
  }

  /** The next part; undefined at the end. @throws Error when the call was broken off */
  async #next(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (this.#gathered.length > 0) return this.#take();
      if (this.#hasEnded) return undefined;
      if (this.#how !== undefined) throw new Error('The tunnel was lost');
      await new Promise<void>((resolve) => {
        this.#more = resolve;
      });
    }
  }
}
