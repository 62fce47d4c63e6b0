/** Both sides of a tunnel over a wire in memory, whose messages arrive when the test says so. */
import { Budget } from '../budget.ts';
import type { Call, CallListener } from '../call.ts';
import { CallingEnd, type Serve, ServingEnd } from '../end.ts';
import type { RequestHead } from '../frame.ts';
import type { Wire } from '../outbox.ts';

/** What one side wrote, in order. */
class TestWire implements Wire {
  readonly messages: Uint8Array[] = [];
  readonly sizes: number[] = [];
  closed: string | undefined;
  readonly #due: (() => void)[] = [];

  send(message: Uint8Array): void {
    this.messages.push(message.slice());
    this.sizes.push(message.byteLength);
  }

  close(reason: string): void {
    this.closed = reason;
  }

  soon(work: () => void): void {
    this.#due.push(work);
  }

  /** Does what was to be done soon. */
  settle(): void {
    for (const work of this.#due.splice(0)) work();
  }
}

/** A pair; nothing arrives before `deliver`. */
export function pairOf(serve: Serve, budgetBytes = 32 * 1024 * 1024) {
  const wires = { gateway: new TestWire(), relay: new TestWire() };
  const gateway = new CallingEnd(wires.gateway, new Budget(budgetBytes), 1, () => {
    seen.goneAway = true;
  });
  const relay = new ServingEnd(wires.relay, new Budget(budgetBytes), serve);
  const seen = { goneAway: false };
  /** Has one message arrive; answers whether there was one. */
  const step = (from: keyof typeof wires): boolean => {
    wires.gateway.settle();
    wires.relay.settle();
    const message = wires[from].messages.shift();
    if (message === undefined) return false;
    if (from === 'gateway') relay.receive(message);
    else gateway.receive(message);
    return true;
  };
  return {
    gateway,
    relay,
    wires,
    seen,
    step,
    /** Has everything arrive, and what follows from it. */
    deliver(): void {
      for (let moved = true; moved; ) {
        const sent = step('gateway');
        moved = step('relay') || sent;
      }
    },
  };
}

/** What was told of a call. */
export class Heard implements CallListener {
  status: number | undefined;
  headers: Readonly<Record<string, string>> = {};
  readonly parts: Uint8Array[] = [];
  hasEnded = false;
  how: string | undefined;

  get bytes(): number {
    return this.parts.reduce((sum, part) => sum + part.byteLength, 0);
  }

  get body(): Uint8Array {
    return Buffer.concat(this.parts);
  }

  head({ status, headers }: { status: number; headers: Readonly<Record<string, string>> }): void {
    this.status = status;
    this.headers = headers;
  }

  data(bytes: Uint8Array): void {
    this.parts.push(bytes.slice());
  }

  end(): void {
    this.hasEnded = true;
  }

  broken(how: string): void {
    this.how = how;
  }
}

/** A request's head. */
export function headOf(path = '/'): RequestHead {
  return { method: 'POST', path, headers: { 'content-type': 'application/proto' } };
}

/** Answers every call with its own body, as it arrives. */
export const echo: Serve = (call: Call) => {
  call.head({ status: 200, headers: { 'content-type': 'application/proto' } });
  return {
    data(bytes) {
      void call.write(bytes.slice());
      call.consumed(bytes.byteLength);
    },
    end: () => call.end(),
    broken() {},
  };
};

/** Serves calls that the test answers by hand. */
export function byHand() {
  const calls: { call: Call; heard: Heard }[] = [];
  const serve: Serve = (call) => {
    const heard = new Heard();
    calls.push({ call, heard });
    return heard;
  };
  return { calls, serve };
}
