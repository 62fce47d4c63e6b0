/** Which keys have a part of their own, and until when. Spec silent on how many. */

/** Milliseconds for which a key has a part of its own. */
const OWN_FOR_MS = 3_600_000;
/** Milliseconds that sessions and calls may keep it longer. */
const OVERTIME_MS = 300_000;
/** Parts of that kind at a time; the last one takes all further keys. */
export const OWN_PARTS_MAX = 4;

/** One part, for one key if there is room. */
interface OwnPart {
  /** `own-` and a number. */
  readonly name: string;
  readonly keys: Set<string>;
  /** On the clock of the caller. */
  until: number;
}

/** All of them. */
export class OwnParts {
  readonly #parts: OwnPart[] = [];
  #made = 0;

  [Symbol.iterator](): Iterator<OwnPart> {
    return this.#parts[Symbol.iterator]();
  }

  /** Gives a key its part; answers that part if it is new. */
  take(key: string, now: number): OwnPart | undefined {
    const until = now + OWN_FOR_MS;
    const known = this.#parts.find(({ keys }) => keys.has(key));
    const last = this.#parts.at(-1);
    const there = known ?? (this.#parts.length < OWN_PARTS_MAX ? undefined : last);
    if (there !== undefined) {
      there.keys.add(key);
      there.until = until;
      return undefined;
    }
    this.#made += 1;
    const part = { name: `own-${this.#made}`, keys: new Set([key]), until };
    this.#parts.push(part);
    return part;
  }

  /** A part of its own died: what is in it stays in it. */
  prolong(part: OwnPart, now: number): void {
    part.until = now + OWN_FOR_MS;
  }

  /** Forgets and answers those whose time is over. @param isIdle whether it is unused now */
  over(now: number, isIdle: (part: OwnPart) => boolean): OwnPart[] {
    const ended = this.#parts.filter(
      (part) => now >= part.until + OVERTIME_MS || (now >= part.until && isIdle(part)),
    );
    for (const part of ended) this.#parts.splice(this.#parts.indexOf(part), 1);
    return ended;
  }
}
