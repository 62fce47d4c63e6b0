/** Faults of the storage itself: a full disk, one that fails, an object that the platform lost; and what a log may say of a failed statement. */
import { ConnectError } from '@connectrpc/connect';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import { SERVER_TEXT_MAX, truncated } from '../../proto/truncate.ts';

/**
 * As SQLite and D1 say it, and as the runtime says it where it hides the cause: on a full disk too,
 * where even a read of D1 fails, because the local runtime writes a bookmark with each.
 */
const FAULT =
  /SQLITE_(FULL|IOERR)\w*|database or disk is full|disk I\/O error|^internal error; reference = \w+/;
/** Characters of a message that are looked at. */
const LOOKED_AT = 64 * 1024;
/** How many times an error may be wrapped. */
const DEPTH = 4;

/** What the storage says about its failure, without the statement; undefined where it did not fail. What was sent to it is not kept. */
export function storageFault(thrown: unknown): string | undefined {
  let cause = thrown;
  for (let depth = 0; depth < DEPTH && cause instanceof Error; depth += 1) {
    // A node may write what it likes, and is no storage of ours.
    if (cause instanceof ConnectError) return undefined;
    const said = FAULT.exec(truncated(cause.message, LOOKED_AT))?.[0];
    if (said !== undefined) return said;
    cause = cause.cause;
  }
  return undefined;
}

/** What a log may say of an error: its name, its message and where it was thrown. A failed statement's message holds what was sent to the storage, so the storage's own word replaces it. */
export function loggedFault(thrown: unknown): { readonly cause: string; readonly stack?: string } {
  const told =
    thrown instanceof DrizzleQueryError ? (thrown.cause ?? 'A statement failed') : thrown;
  if (!(told instanceof Error)) return { cause: truncated(String(told)) };
  const cause = truncated(`${told.name}: ${truncated(told.message)}`);
  return { cause, stack: thrown instanceof Error ? framesOf(thrown) : '' };
}

/** The stack begins with the message, which may have lines that look like frames. */
function framesOf({ stack = '', message }: Error): string {
  const at = stack.indexOf(message);
  const frames = at < 0 ? stack.slice(-SERVER_TEXT_MAX) : stack.slice(at + message.length);
  return truncated(frames.replace(/^\n/, ''));
}
