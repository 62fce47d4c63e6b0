/** What the processes of parts run: the bundle once there is one that works, the sources until then. */
import { fileURLToPath } from 'node:url';
import { describeFault, type Log } from '../log.ts';
import { type Bundle, findBundle } from './bundle.ts';

/** Of one relay. */
export class PartProgram {
  /** Path of the entry point. */
  file = fileURLToPath(new URL('part.ts', import.meta.url));
  readonly #sources = this.file;
  readonly #log: Log;
  #bundle: Bundle | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Takes a bundle that is there. */
  async find(): Promise<void> {
    try {
      this.#bundle = await findBundle();
      if (this.#bundle.isThere) this.file = this.#bundle.entry;
    } catch (cause) {
      this.#withoutBundle(cause);
    }
  }

  /** Makes one if none was there. */
  async make(): Promise<void> {
    const bundle = this.#bundle;
    if (bundle === undefined || bundle.isThere) return;
    try {
      await bundle.make();
      this.file = bundle.entry;
    } catch (cause) {
      this.#withoutBundle(cause);
    }
  }

  /** A process of this program could not be loaded: from now on none runs a bundle. */
  distrust(file: string): void {
    if (file === this.#sources) return;
    this.file = this.#sources;
    this.#bundle = undefined;
    this.#log.warn('parts of the relay cannot be loaded from their bundle: they run from source');
  }

  /** A read-only installation is no fault. */
  #withoutBundle(cause: unknown): void {
    this.#log.info({ fault: describeFault(cause) }, 'parts of the relay run from source');
  }
}
