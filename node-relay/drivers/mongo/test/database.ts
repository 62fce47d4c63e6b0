/** A database of a test's own on the run's MongoDB, and requests to it. */
import { randomUUID } from 'node:crypto';
import { type Db, MongoClient } from 'mongodb';
import { parseRequest } from '../../../../kinds/index.ts';
import type { MongoRequest } from '../../../../kinds/mongo/index.ts';
import type { Json } from '../../../../proto/json.ts';
import { parseOrdered } from '../../../../proto/parse-ordered.ts';
import { type Backend, backend } from '../../../../test/servers/backends.ts';

/** A database for one test alone, and a client besides the driver under test. */
export class TestDatabase {
  readonly url: string;
  readonly name: string;
  readonly outside: MongoClient;

  private constructor(url: string, name: string, outside: MongoClient) {
    this.url = url;
    this.name = name;
    this.outside = outside;
  }

  /** @throws Failure saying which server is missing and how to get it */
  static async create(server?: Backend): Promise<TestDatabase> {
    const { url } = server ?? (await backend('mongo'));
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    const own = new URL(url);
    own.pathname = `/${name}`;
    return new TestDatabase(own.href, name, await MongoClient.connect(url));
  }

  get db(): Db {
    return this.outside.db(this.name);
  }

  async drop(): Promise<void> {
    await this.db.dropDatabase();
    await this.outside.close();
  }
}

/** A request as the relay reads it, from the text that a client would send. */
export function request(text: string | object): MongoRequest {
  const body = parseOrdered(typeof text === 'string' ? text : JSON.stringify(text));
  // What the kind's own schema answers.
  return parseRequest('mongo', body as Json).request as MongoRequest;
}

/** A request on the collection `entries`. */
export function entries(type: string, members: object = {}): MongoRequest {
  return request({ type, collection: 'entries', ...members });
}
