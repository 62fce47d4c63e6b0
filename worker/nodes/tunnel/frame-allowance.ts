/**
 * How much the tunnels of an organization may send. A relay answers calls, and needs few frames for
 * each; whatever else one sends is read on the thread that all organizations share.
 */
import { LruMap } from '../../../proto/lru-map.ts';
import type { Message } from '../../../proto/tunnel/end.ts';

/** Frames that may come at a time beyond those that calls ask for. Spec silent. */
const MOST = 20_000;
/** So many of them again with each millisecond. Spec silent. */
const PER_MS = 10;
/** What a call asks for: messages with its head, parts and end, and with room for its own body. */
const PER_CALL = 40;
/** Frames that calls have asked for together at most: of some thousand calls in flight. */
const ASKED_MOST = 200_000;
/** A message costs the thread as much as so many frames. */
const MESSAGE = 10;
/** So many bytes of bodies, which calls bound, pay for a frame. */
const PAYING_BYTES = 256;
/** And so many others cost as much as one. */
const COSTING_BYTES = 64;
/** Milliseconds for which an organization opens no tunnel after one that sent too much. Spec silent. */
const CLOSED_MS = 10_000;
/** Organizations that are remembered. */
const KNOWN_MAX = 10_000;

/** Times in Unix epoch milliseconds. */
interface Account {
  left: number;
  at: number;
  closedUntil: number;
}

/** The organizations whose tunnels end in one isolate. */
export class FrameAllowance {
  readonly #known = new LruMap<string, Account>(KNOWN_MAX);

  /** A call begins: its frames are asked for. */
  asked(organization: string, now: number): void {
    const account = this.#accountOf(organization, now);
    account.left = Math.min(ASKED_MOST, account.left + PER_CALL);
  }

  /** Counts what came; answers whether it was not too much. */
  take(organization: string, { frames, taken, other }: Message, now: number): boolean {
    const account = this.#accountOf(organization, now);
    const cost = MESSAGE + frames + other / COSTING_BYTES - taken / PAYING_BYTES;
    account.left -= Math.max(0, cost);
    if (account.left >= 0) return true;
    // What comes after it waits for its time, however much this was.
    account.left = 0;
    account.closedUntil = now + CLOSED_MS;
    return false;
  }

  /** Whether the organization may open no tunnel for now. */
  isClosed(organization: string, now: number): boolean {
    return now < (this.#known.get(organization)?.closedUntil ?? 0);
  }

  #accountOf(organization: string, now: number): Account {
    const known = this.#known.get(organization) ?? { left: MOST, at: now, closedUntil: 0 };
    this.#known.set(organization, known);
    const again = Math.max(0, now - known.at) * PER_MS;
    if (known.left < MOST) known.left = Math.min(MOST, known.left + again);
    known.at = now;
    return known;
  }
}

/** Those of this isolate. */
export const frameAllowance = new FrameAllowance();
