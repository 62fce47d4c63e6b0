/**
 * What the tunnels of all nodes hold of replies that nobody has read yet. Each node bounds its own
 * calls, but they share the memory of one isolate: together they have a bound of their own.
 */

/** Bytes of all nodes together: an isolate has 128 MB, for much else, too. Spec silent. */
const HELD_MAX_BYTES = 48 * 1024 * 1024;

/** One reply's part of it. */
export class Holding {
  /** Bytes that are held now. */
  bytes = 0;
  readonly #owner: HeldReplies;
  readonly #organization: string;
  readonly giveUp: () => void;

  constructor(owner: HeldReplies, organization: string, giveUp: () => void) {
    this.#owner = owner;
    this.#organization = organization;
    this.giveUp = giveUp;
  }

  /** So many bytes more are held; where that is too much, the largest reply of all is given up: perhaps this one. */
  add(bytes: number): void {
    this.#owner.add(this.#organization, this, bytes);
  }

  /** None of it is held any more. */
  release(): void {
    this.#owner.release(this.#organization, this);
  }
}

interface Held {
  bytes: number;
  readonly replies: Set<Holding>;
}

/** The replies that share one memory. */
export class HeldReplies {
  readonly #max: number;
  #bytes = 0;
  readonly #organizations = new Map<string, Held>();

  /** @param max in bytes */
  constructor(max: number) {
    this.#max = max;
  }

  /** Of all replies together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A reply. @param giveUp called when it holds most, of the organization that holds most: it releases what it holds */
  begin(organization: string, giveUp: () => void): Holding {
    return new Holding(this, organization, giveUp);
  }

  add(organization: string, reply: Holding, bytes: number): void {
    const held = this.#organizations.get(organization) ?? { bytes: 0, replies: new Set() };
    this.#organizations.set(organization, held);
    held.replies.add(reply);
    reply.bytes += bytes;
    held.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.#max) this.#giveUpLargest();
  }

  release(organization: string, reply: Holding): void {
    const held = this.#organizations.get(organization);
    if (held === undefined || !held.replies.delete(reply)) return;
    held.bytes -= reply.bytes;
    this.#bytes -= reply.bytes;
    reply.bytes = 0;
    if (held.replies.size === 0) this.#organizations.delete(organization);
  }

  /** Who holds little loses nothing, whatever others do. */
  #giveUpLargest(): void {
    const [organization, { replies }] = largest(this.#organizations, ([, { bytes }]) => bytes);
    const reply = largest(replies, ({ bytes }) => bytes);
    reply.giveUp();
    this.release(organization, reply);
  }
}

/** @param from is not empty */
function largest<Each>(from: Iterable<Each>, sizeOf: (each: Each) => number): Each {
  return [...from].reduce((most, each) => (sizeOf(each) > sizeOf(most) ? each : most));
}

/** Those of this isolate. */
export const heldReplies = new HeldReplies(HELD_MAX_BYTES);
