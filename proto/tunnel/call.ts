/** One call of a tunnel as one side sees it: what may come next, and what is sent. */
import { type ReplyHead, type ResetCode, TunnelFault } from './frame.ts';
import type { Outbox } from './outbox.ts';

/** How a call ends before its end: as the other side says, or with the tunnel. */
export type Break = ResetCode | 'lost';

/** What is told of a call. After `end` or `broken` nothing more is. */
export interface CallListener {
  /** The reply's head; at the gateway's side alone. */
  head?(head: ReplyHead): void;
  /** A part of the other side's body; `Call.consumed` asks for more. */
  data(bytes: Uint8Array): void;
  /** The other side's body is complete. */
  end(): void;
  broken(how: Break): void;
}

/** What arrives: the head, then the body, then nothing. */
type Phase = 'head' | 'body' | 'ended';

/** What a call needs of its tunnel. */
interface CallOptions {
  readonly id: number;
  readonly outbox: Outbox;
  /** Bytes of this side's body that the other side takes at once. */
  readonly sendCredit: number;
  /** Bytes that the other side may send ahead. */
  readonly window: number;
  readonly begins: 'head' | 'body';
  /** Bytes by which the window grows once half of it was read; a call whose body is short never needs them. */
  readonly grow?: () => number;
  /** Told once, when none of the call is awaited any more. */
  readonly over: () => void;
}

/** A call in flight. */
export class Call {
  readonly id: number;
  readonly #outbox: Outbox;
  readonly #over: () => void;
  #grow: (() => number) | undefined;
  #listener: CallListener | undefined;
  #window: number;
  #phase: Phase;
  /** Bytes that the other side may send now. */
  #granted: number;
  /** Bytes that were read, and not yet granted again. */
  #read = 0;
  /** Whether this side has said its last: the end of its body, or that the call is over. */
  #isDone = false;
  #isReset = false;

  constructor({ id, outbox, sendCredit, window, begins, grow, over }: CallOptions) {
    this.id = id;
    this.#outbox = outbox;
    this.#window = window;
    this.#granted = window;
    this.#phase = begins;
    this.#grow = grow;
    this.#over = () => {
      // A caller that still holds it can do no more to it.
      this.#isReset = true;
      over();
    };
    outbox.begin(id, sendCredit);
  }

  /** Tells the listener of what comes from now on. */
  tell(listener: CallListener): void {
    if (!this.#isReset) this.#listener = listener;
  }

  /** Sends a reply's head. @throws TunnelFault when it is too large */
  head(head: ReplyHead): void {
    if (this.#isReset) return;
    this.#outbox.put({ type: 'head', call: this.id, head });
  }

  /** Sends a part of the body; answers when more may come, undefined for at once. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    return this.#isReset ? undefined : this.#outbox.write(this.id, bytes);
  }

  /** Completes the body. */
  end(): void {
    if (this.#isReset) return;
    this.#outbox.end(this.id, () => {
      this.#isDone = true;
      this.#look();
    });
  }

  /** Ends the call from this side; nothing more is told of it. */
  reset(code: ResetCode): void {
    if (this.#isReset) return;
    this.#silence();
    this.#outbox.put({ type: 'reset', call: this.id, code });
    this.#isDone = true;
    this.#look();
  }

  /** So many bytes of the other side's body were read: it may send as many more. */
  consumed(bytes: number): void {
    this.#read += bytes;
    if (this.#phase !== 'body' || this.#isReset || this.#read < this.#window / 2) return;
    const more = this.#grow?.() ?? 0;
    this.#grow = undefined;
    this.#window += more;
    this.#outbox.put({ type: 'window', call: this.id, credit: this.#read + more });
    this.#granted += this.#read + more;
    this.#read = 0;
  }

  /** @throws TunnelFault when no head can come now */
  takeHead(head: ReplyHead): void {
    if (this.#phase !== 'head') throw outOfOrder('head', this.id);
    this.#phase = 'body';
    this.#listener?.head?.(head);
  }

  /** @throws TunnelFault when no part of a body can come now, or none so large */
  takeData(bytes: Uint8Array): void {
    if (this.#phase !== 'body') throw outOfOrder('data', this.id);
    this.#granted -= bytes.byteLength;
    if (this.#granted < 0)
      throw new TunnelFault(`Call ${this.id} was sent more than was asked for`);
    this.#listener?.data(bytes);
  }

  /** @throws TunnelFault when nothing can end now */
  takeEnd(): void {
    if (this.#phase !== 'body') throw outOfOrder('end', this.id);
    this.#phase = 'ended';
    const listener = this.#listener;
    this.#look();
    listener?.end();
  }

  /** The other side ends the call; it is answered unless this side has said its last. */
  takeReset(code: ResetCode): void {
    const listener = this.#listener;
    const isUnsaid = this.#silence();
    if (isUnsaid) this.#outbox.put({ type: 'reset', call: this.id, code });
    this.#over();
    listener?.broken(code);
  }

  /** The tunnel is gone. */
  lose(how: Break): void {
    const listener = this.#listener;
    this.#silence();
    this.#over();
    listener?.broken(how);
  }

  takeWindow(credit: number): void {
    this.#outbox.grant(this.id, credit);
  }

  /** Nothing more is sent of the body, nor told. @returns whether the body had not ended */
  #silence(): boolean {
    this.#isReset = true;
    this.#listener = undefined;
    return this.#outbox.drop(this.id);
  }

  /** Over once each side has said its last. */
  #look(): void {
    if (this.#phase === 'ended' && this.#isDone) this.#over();
  }
}

function outOfOrder(type: 'head' | 'data' | 'end', call: number): TunnelFault {
  return new TunnelFault(`A frame of type ${type} is out of order in call ${call}`);
}
