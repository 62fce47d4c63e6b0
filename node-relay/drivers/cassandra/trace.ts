/** What the server recorded of a request. */

import { setTimeout as sleep } from 'node:timers/promises';
import requests from 'cassandra-driver/lib/requests.js';
import * as z from 'zod';
import { LongText, type LongWriter } from '../../../proto/long-text.ts';
import { whole } from '../../../proto/work/pieces.ts';
import type { Connection } from './connection.ts';
import { isTold, withoutAddresses } from './errors.ts';
import { rowTexts } from './pages.ts';
import type { StatementReply } from './reply.ts';

/** The server writes a trace after it has answered. */
const TRIES = 10;
const WAIT_MS = 50;

const Session = z.object({ duration: z.number().nullable() });
const Event = z.object({
  activity: z.string().nullable(),
  source_elapsed: z.number().nullable(),
  thread: z.string().nullable(),
});

/** JSON text of an answer's trace; without events where the role may not read them. */
export async function readTrace(
  connection: Connection,
  answer: StatementReply,
): Promise<string | undefined> {
  const id = answer.flags.traceId?.toString();
  if (id === undefined) return undefined;
  try {
    let duration: number | null = null;
    for (let tries = 0; tries < TRIES && duration === null; tries += 1) {
      await sleep(WAIT_MS);
      const query = `SELECT duration FROM system_traces.sessions WHERE session_id = ${id}`;
      const [session] = await rowsOf(connection, query);
      duration = Session.safeParse(session).data?.duration ?? null;
    }
    const query = `SELECT activity, source_elapsed, thread FROM system_traces.events WHERE session_id = ${id}`;
    const events = z.array(Event).parse(await rowsOf(connection, query));
    return JSON.stringify({
      id,
      duration_us: duration,
      events: events.map(({ activity, source_elapsed, thread }) => ({
        activity: withoutAddresses(activity ?? ''),
        elapsed_us: source_elapsed,
        thread: thread === null ? null : withoutAddresses(thread),
      })),
    });
  } catch (cause) {
    if (!isTold(cause)) throw cause;
    return JSON.stringify({ id, duration_us: null, events: [] });
  }
}

async function rowsOf(connection: Connection, query: string): Promise<unknown[]> {
  const answer = await connection.send(new requests.QueryRequest(query, null, null));
  const options = { rowFormat: 'object', numbersAsStrings: false } as const;
  const texts = [];
  for (const row of rowTexts(answer, options)) {
    texts.push(typeof row === 'string' ? row : longTextOf(row));
  }
  return texts.map((text): unknown => JSON.parse(text));
}

function longTextOf(write: LongWriter): string {
  const out = new LongText();
  whole(write(out));
  return out.pieces.join('');
}
