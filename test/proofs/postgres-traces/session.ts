/** What a caller finds on a session that others have used, and the sessions of both modes. */

import { type PostgresClient, postgres } from '../../../node-relay/drivers/postgres/index.ts';
import { run, sql } from '../../../node-relay/drivers/postgres/test/database.ts';
import { callOf, openClient, testHost } from '../../../node-relay/drivers/test/host.ts';
import type { Mode } from '../../../proto/driver.ts';
import { LOCK, MARK } from './tracer.ts';

/** All that a session can carry, and a number of `random()`. */
const FOUND = `SELECT current_user::text AS "user", session_user::text AS login,
  nullif(current_setting('${MARK}', true), '') AS mark,
  (SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) FROM pg_settings WHERE source = 'session') AS settings,
  (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND pid = pg_backend_pid()) AS locks,
  (SELECT count(*)::int FROM pg_prepared_statements WHERE name <> '') AS prepared,
  (SELECT count(*)::int FROM pg_cursors WHERE name <> '') AS cursors,
  (SELECT count(*)::int FROM pg_listening_channels()) AS channels,
  (SELECT count(*)::int FROM pg_class WHERE relpersistence = 't') AS temporary,
  random()::text AS random`;

type Found = Readonly<Record<string, unknown>>;

/** Ways of a request to the driver. */
export type Channel = 'query' | 'several' | 'stream' | 'transaction' | 'copy_out' | 'copy_in';

/** A touch that is sent. */
export interface Sent {
  readonly query: string;
  readonly input?: string;
  readonly channel: Channel;
}

/** A pool of one connection, so that the next caller has the same. */
export class Pool {
  readonly mode: Mode;
  readonly #url: string;
  #session: PostgresClient | undefined;
  #new: Found = {};

  constructor(mode: Mode, url: string) {
    this.mode = mode;
    this.#url = url;
  }

  /** Sends a touch as a caller. */
  async send({ query, input, channel }: Sent): Promise<void> {
    const session = await this.#opened();
    const call = callOf(this.mode);
    switch (channel) {
      case 'stream':
        for await (const _ of session.stream(sql(query), call));
        return;
      case 'transaction':
        await session.transact([sql('SELECT 1'), sql(query)], call);
        return;
      case 'copy_in':
        await session.run(sql(query, [], { type: channel, value: input ?? '' }), call);
        return;
      case 'several': {
        const type = this.mode === 'read' ? 'simple_read_only' : 'batch_execute';
        await session.run(sql(`${query}; SELECT 1`, [], { type }), call);
        return;
      }
      default:
        await session.run(sql(query, [], { type: channel }), call);
    }
  }

  /** What the next caller finds that a first one would not; one sentence each. */
  async traces(predictable: ReadonlySet<string>): Promise<string[]> {
    const session = await this.#opened();
    const { random, ...found } = await this.#found(session);
    const seen = Object.entries(found).flatMap(([what, is]) =>
      is === this.#new[what] ? [] : [`${what}: ${is}`],
    );
    if (predictable.has(String(random))) seen.push('random() goes on from the seed');
    const sequence = await run(session, sql('SELECT lastval()'), this.mode).catch(() => undefined);
    if (sequence) seen.push('lastval() of another');
    if (seen.length > 0) await this.close();
    return seen;
  }

  /** Ends the connection; the next call makes another. */
  async close(): Promise<void> {
    await this.#session?.close();
    this.#session = undefined;
  }

  async #opened(): Promise<PostgresClient> {
    if (this.#session) return this.#session;
    const opening = { connection: { url: this.#url }, mode: this.mode, host: testHost(1) };
    this.#session = await openClient(postgres, opening);
    const { random: _, ...found } = await this.#found(this.#session);
    this.#new = found;
    return this.#session;
  }

  async #found(session: PostgresClient): Promise<Found> {
    return (await run(session, sql(FOUND), this.mode)).rows[0] ?? {};
  }
}
