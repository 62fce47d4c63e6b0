/** Ends what a script started, last started first, once, however the script is told to stop. */

/** Stopping takes no longer than this. Spec silent. */
const STOP_MAX_MS = 15_000;
const PARENT_CHECK_MS = 500;

type Close = () => Promise<void>;

/** What has been started so far. */
export class Shutdown {
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

  /** Closes everything; what fails to close does not keep the rest from it. */
  stop(): Promise<void> {
    this.#stopping ??= this.#closeAll();
    return this.#stopping;
  }

  async #closeAll(): Promise<void> {
    for (const close of this.#closers.toReversed()) {
      await close().catch((thrown: unknown) => console.error(thrown));
    }
  }
}

/**
 * Stops and exits with code 0 on SIGINT, SIGTERM and SIGHUP, also when npm, which started this
 * process, dies without passing its signal on. A second signal changes nothing: a terminal and
 * npm both send one.
 */
export function stopOnSignals(shutdown: Shutdown): void {
  const stop = () => {
    if (shutdown.begun) return;
    setTimeout(() => process.exit(1), STOP_MAX_MS).unref();
    void shutdown.stop().finally(() => process.exit(0));
  };
  // Whoever read the log may be gone before us.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  // Only npm is watched: a server that somebody put in the background may outlive its shell.
  if (process.env.npm_lifecycle_event !== undefined) {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && stop(), PARENT_CHECK_MS).unref();
  }
}
