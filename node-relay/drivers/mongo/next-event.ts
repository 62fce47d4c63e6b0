/** Asks a change stream for what is next, no faster than a server that has nothing to tell may be asked. */
import type { ChangeStream, Document } from 'mongodb';
import { orAbort } from '../deadline.ts';
import type { Database, Execution } from './database.ts';
import { later } from './progress.ts';

/** Milliseconds that an empty answer takes at least: one that comes sooner is waited out. Servers wait for a second. */
const EMPTY_MS = 100;

/** An event; null when the server has waited and nothing came; undefined once it has closed the stream. */
type Next = Document | null | undefined;

/**
 * What is next in a stream, asked for before it is waited for.
 * @throws GatewayError
 */
export function nextIn(
  database: Database,
  execution: Execution,
  stream: ChangeStream,
): Promise<Next> {
  const next = asked(database, execution, stream);
  next.catch(() => {});
  return next;
}

/** A closed stream answers at once for ever, as may a server: what asks again would never give way. */
async function asked(
  database: Database,
  { session, call }: Execution,
  stream: ChangeStream,
): Promise<Next> {
  const askedAt = performance.now();
  const event = await database.attempt(session, call, () => stream.tryNext());
  if (event !== null) return event;
  const left = EMPTY_MS - (performance.now() - askedAt);
  if (left > 0) await orAbort(later(left), call.signal);
  return stream.closed ? undefined : null;
}
