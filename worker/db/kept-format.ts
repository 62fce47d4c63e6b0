/** In which form an object keeps what it keeps: of another form nothing is read, so that nothing is misread or lost. */

/** Errors of objects lose their class on the way to their callers, but not their message. */
const FOREIGN = /^What is kept of [^.]* is in format \d+, and this version reads format \d+/;

/** What refuses the format of another version. */
export class ForeignFormat extends Error {
  /** @param what such as `workflow runs` */
  constructor(what: string, { kept, read }: { readonly kept: number; readonly read: number }) {
    const way = kept < read ? 'start the version that wrote it' : 'start that or a later version';
    super(
      `What is kept of ${what} is in format ${kept}, and this version reads format ${read}: ${way}`,
    );
  }
}

/** What an object says of a format that it does not read; undefined of other faults. */
export function foreignFormat(thrown: unknown): string | undefined {
  return thrown instanceof Error && FOREIGN.test(thrown.message) ? thrown.message : undefined;
}
