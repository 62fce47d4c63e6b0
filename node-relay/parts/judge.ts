/** Judges the deaths of parts: an owner that was present too often gets a part of its own. */
import type { Log } from '../log.ts';
import { OwnParts } from './own-parts.ts';
import { Deaths } from './suspects.ts';

/** Of one relay. */
export class Judge {
  readonly ownParts = new OwnParts();
  readonly #deaths = new Deaths();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Whether a part of that name serves one owner alone. */
  isOwn(name: string): boolean {
    return [...this.ownParts].some((own) => own.name === name);
  }

  /** A part died with these keys present; answers the names of parts that are now needed. An owner that has a part keeps it. */
  died(name: string, suspects: readonly string[]): string[] {
    const now = Date.now();
    for (const part of this.ownParts) {
      if (part.name !== name) continue;
      this.ownParts.prolong(part, now);
      return [];
    }
    return this.#deaths.note(suspects, now).flatMap((key) => {
      this.#log.warn({ key }, 'ended parts of the relay twice: gets one of its own');
      return this.ownParts.take(key, now)?.name ?? [];
    });
  }
}
