/** How much of the bodies that arrive one side may hold, over all its calls together. */

/** Bytes that a call may be sent ahead at least, however many calls there are. Spec silent. */
export const WINDOW_MIN_BYTES = 16 * 1024;
/** And at most: at a round trip of 50 ms this is 20 MB a second. Spec silent. */
const WINDOW_MAX_BYTES = 1024 * 1024;
/** Of what is free a call gets this share, so that there is something left for the next. */
const SHARE = 1 / 16;

/** Memory for bodies that nobody has read yet. */
export class Budget {
  #free: number;

  /** @param bytes that all windows together come near, before each call gets the least */
  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** The window of a new call in bytes. */
  take(): number {
    const share = Math.floor(this.#free * SHARE);
    const window = Math.min(WINDOW_MAX_BYTES, Math.max(WINDOW_MIN_BYTES, share));
    this.#free -= window;
    return window;
  }

  /** The call is over. */
  giveBack(window: number): void {
    this.#free += window;
  }
}
