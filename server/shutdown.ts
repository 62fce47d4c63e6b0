/** Ends what a script started, last started first, once, however the script is told to stop. */
import { log } from './log.ts';

/** Stopping takes no longer than this beyond what requests in flight have. Spec silent. */
const STOP_MAX_MS = 15_000;
const PARENT_CHECK_MS = 500;
/** A terminal and npm send one signal each for one Ctrl-C; a second Ctrl-C comes later than this. */
const AGAIN_MS = 500;
/** After so long, the log says that requests in flight are waited for. */
const PATIENCE_MS = 1_500;

type Close = () => Promise<void>;

/** What has been started so far. */
export class Shutdown {
  readonly #doors: Close[] = [];
  readonly #closers: Close[] = [];
  #stopping: Promise<void> | undefined;

  /** True from the first request to stop: what ends now ends as it should. */
  get begun(): boolean {
    return this.#stopping !== undefined;
  }

  /** Started while stopping, it is closed at once. */
  async add(close: Close): Promise<void> {
    if (this.begun) await close();
    else this.#closers.push(close);
  }

  /** The same for what lets requests in, which is closed before all that they need. */
  async addDoor(close: Close): Promise<void> {
    if (this.begun) await close();
    else this.#doors.push(close);
  }

  /** Closes everything; what fails to close does not keep the rest from it. */
  stop(): Promise<void> {
    this.#stopping ??= this.#closeAll();
    return this.#stopping;
  }

  async #closeAll(): Promise<void> {
    for (const close of [...this.#doors.toReversed(), ...this.#closers.toReversed()]) {
      await close().catch((thrown: unknown) => console.error(thrown));
    }
  }
}

/**
 * Stops and exits with code 0 on SIGINT, SIGTERM and SIGHUP, also when npm, which started this
 * process, dies without passing its signal on. SIGINT once more ends at once, with code 1: whatever
 * was started ends with this process.
 * @param drainMs what requests in flight have; the stop may take so much longer
 */
export function stopOnSignals(shutdown: Shutdown, drainMs = 0): void {
  let begunAt = 0;
  const stop = (signal?: NodeJS.Signals) => {
    if (shutdown.begun) {
      if (signal === 'SIGINT' && Date.now() - begunAt > AGAIN_MS) process.exit(1);
      return;
    }
    begunAt = Date.now();
    setTimeout(() => process.exit(1), drainMs + STOP_MAX_MS).unref();
    setTimeout(
      () => log('info', 'Waiting for requests in flight; Ctrl-C once more ends at once.'),
      PATIENCE_MS,
    ).unref();
    void shutdown.stop().finally(() => process.exit(0));
  };
  // The reader of the log may be gone already.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  // Only npm is watched: a server in the background may outlive its shell.
  if (process.env.npm_lifecycle_event !== undefined) {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && stop(), PARENT_CHECK_MS).unref();
  }
}
