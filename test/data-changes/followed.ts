/** Workflows that follow changes of a PostgreSQL database of their own, on a running gateway. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { JsonObject } from '../../proto/json.ts';
import type { Gateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { type Backend, type FreshDatabase, freshDatabase } from '../servers/backends.ts';
import { Follower } from './follower.ts';

/** Milliseconds in which the slot of an endpoint goes that was deleted. */
const DROPPED_MS = 20_000;

/** An organization with an endpoint on a PostgreSQL database that tests change from outside. */
export class Followed extends Follower {
  readonly endpoint: string;
  /** The superuser's connection. */
  readonly client: pg.Client;
  /** Of the same database. */
  readonly url: string;
  readonly #drop: () => Promise<void>;

  private constructor(
    organization: Organization,
    endpoint: string,
    client: pg.Client,
    { url, drop }: Pick<FreshDatabase, 'url' | 'drop'>,
  ) {
    super(organization);
    this.endpoint = endpoint;
    this.client = client;
    this.url = url;
    this.#drop = drop;
  }

  /** @param server the run's own unless one is given */
  static async open(gateway: Gateway, server?: Backend): Promise<Followed> {
    const database = await freshDatabase(server);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    // A server that a test ends says so.
    client.on('error', () => {});
    const organization = await newOrganization(gateway);
    const endpoint = await organization.addPostgres(database.url);
    await Follower.store(organization);
    return new Followed(organization, endpoint, client, database);
  }

  /** Removes the endpoint, so that none of it is kept, and the database. */
  async close(): Promise<void> {
    await this.organization.call('DELETE', `/endpoints/${this.endpoint}?confirm=true`);
    for (const until = Date.now() + DROPPED_MS; (await this.slots()).length > 0; ) {
      if (Date.now() > until)
        throw new Error('The slot of an endpoint that is gone is there still');
      await sleep(100);
    }
    await this.client.end();
    await this.#drop();
  }

  /** Runs a statement from outside. */
  async sql(text: string, values: readonly unknown[] = []): Promise<readonly JsonObject[]> {
    return (await this.client.query<JsonObject>(text, [...values])).rows;
  }

  /** A trigger on a table. */
  on(collection: string, more: JsonObject = {}): JsonObject {
    return { type: 'dataChange', endpoint: this.endpoint, collection, ...more };
  }

  /** Slots of this database. */
  async slots(): Promise<string[]> {
    const rows = await this.sql(
      'SELECT slot_name FROM pg_replication_slots WHERE database = current_database()',
    );
    return rows.map(({ slot_name }) => String(slot_name));
  }
}
