/** Faults of the storage itself: a full disk, one that fails, an object that the platform lost; and what a log may say of a failed statement. */
import { DrizzleQueryError } from 'drizzle-orm/errors';

/**
 * As SQLite and D1 say it, and as the runtime says it where it hides the cause: on a full disk too,
 * where even a read of D1 fails, because the local runtime writes a bookmark with each.
 */
const FAULT =
  /SQLITE_(FULL|IOERR)\w*|database or disk is full|disk I\/O error|^internal error; reference = \w+/;
/** How many times an error may be wrapped. */
const DEPTH = 4;

/** What the storage says about its failure, without the statement; undefined where it did not fail. What was sent to it is not kept. */
export function storageFault(thrown: unknown): string | undefined {
  let cause = thrown;
  for (let depth = 0; depth < DEPTH && cause instanceof Error; depth += 1) {
    const said = FAULT.exec(cause.message)?.[0];
    if (said !== undefined) return said;
    cause = cause.cause;
  }
  return undefined;
}

/** What a log may say of an error: its name, its message and where it was thrown. A failed statement's message holds what was sent to the storage, so the storage's own word replaces it. */
export function loggedFault(thrown: unknown): { readonly cause: string; readonly stack?: string } {
  const told =
    thrown instanceof DrizzleQueryError ? (thrown.cause ?? 'A statement failed') : thrown;
  if (!(told instanceof Error)) return { cause: String(told) };
  // The stack begins with the message.
  const frames = thrown instanceof Error ? (thrown.stack ?? '').split(/\n(?=\s+at )/).slice(1) : [];
  return { cause: `${told.name}: ${told.message}`, stack: frames.join('\n') };
}
