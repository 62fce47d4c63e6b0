/** Sends cases to the driver as callers do, and reports what became of them. */

import { type PostgresClient, postgres } from '../../../node-relay/drivers/postgres/index.ts';
import { sql } from '../../../node-relay/drivers/postgres/test/database.ts';
import { callOf, openClient, testHost } from '../../../node-relay/drivers/test/host.ts';
import type { Mode } from '../../../proto/driver.ts';
import type { Case } from './cases.ts';

/** What became of a case: the guard refused it, it ran, or the server refused what it was sent. */
export type Verdict =
  | { readonly is: 'refused'; readonly rule: string; readonly named: string }
  | { readonly is: 'ran' }
  | { readonly is: 'failed'; readonly code: string; readonly message: string };

interface Failure {
  readonly code?: string;
  readonly message?: string;
  readonly details?: readonly {
    rule?: string;
    function?: string;
    code?: string;
    message?: string;
  }[];
}

/** Sessions of the driver on a server. */
export class Runner {
  /** As superuser, on a pool of one connection. */
  readonly read: PostgresClient;
  readonly #plain: PostgresClient;
  readonly #write: PostgresClient;

  private constructor(read: PostgresClient, plain: PostgresClient, write: PostgresClient) {
    this.read = read;
    this.#plain = plain;
    this.#write = write;
  }

  /** Opens them. */
  static async open(url: string): Promise<Runner> {
    const open = (mode: Mode, as = url) =>
      openClient(postgres, { connection: { url: as }, mode, host: testHost(1) });
    const plain = new URL(url);
    plain.username = 'plain';
    plain.password = 'plain';
    return new Runner(await open('read'), await open('read', plain.href), await open('write'));
  }

  /** Runs a case. */
  async run(tried: Case): Promise<Verdict> {
    try {
      await this.#send(tried);
      return { is: 'ran' };
    } catch (error) {
      return verdictOf(error as Failure); // What a session throws.
    }
  }

  /** Ends them. */
  async close(): Promise<void> {
    for (const session of [this.read, this.#plain, this.#write]) await session.close();
  }

  async #send({ query, params, channel, way }: Case): Promise<unknown> {
    // A superuser is above policies.
    const session = way === 'policy' ? this.#plain : this.read;
    const request = (type: string) => sql(query, [...params], { type });
    switch (channel) {
      case 'stream':
        for await (const _ of session.stream(request('query'), callOf('read')));
        return undefined;
      case 'on a write connection': {
        const write = way === 'policy' ? session : this.#write;
        return write.run(request('query_read_only'), callOf(way === 'policy' ? 'read' : 'write'));
      }
      default:
        return session.run(request(channel), callOf('read'));
    }
  }
}

function verdictOf({ code = '', message = '', details = [] }: Failure): Verdict {
  const [detail] = details;
  if (code === 'BAD_REQUEST' && detail?.rule?.startsWith('read_'))
    return { is: 'refused', rule: detail.rule, named: detail.function ?? '' };
  return { is: 'failed', code: detail?.code ?? code, message: detail?.message ?? message };
}
