/** Who needs no Admin changes none of MongoDB's own databases; what `/read` takes changes nothing, and leaves no cursor. */
/// <reference path="../../../node-relay/drivers/mongo/mongodb-internals.d.ts" />
import { MongoClient } from 'mongodb';
import { kindSpec } from '../../../kinds/index.ts';
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import { type MongoBackend, mongo } from '../../../node-relay/drivers/mongo/index.ts';
import { request } from '../../../node-relay/drivers/mongo/test/database.ts';
import { callOf, openClient } from '../../../node-relay/drivers/test/host.ts';
import type { Mode } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { JsonObject } from '../../../proto/json.ts';
import { startBackend } from '../../servers/backends.ts';
import type { Proof } from '../proof.ts';
import { randomOf } from '../redis-reads/cases.ts';
import { partingOf } from '../redis-reads/state.ts';
import { made } from './cases.ts';

/** After so many requests there is something new to change. */
const STIR_EVERY = 50;
const SYSTEM = ['admin', 'config', 'local'];
/** The server's own record of all that is written anywhere, and of who is there. */
const ITS_OWN =
  /^(?:oplog\.rs|transactions|system\.sessions|startup_log|replset\..*|clustermetadata)$/i;

/** Collections and documents of databases, as text. */
async function contentOf(client: MongoClient, databases: readonly string[]): Promise<string> {
  const pieces: string[] = [];
  for (const database of databases) {
    const db = client.db(database);
    const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(
      ({ name }) => name,
    );
    for (const name of names.filter((each) => !ITS_OWN.test(each)).sort()) {
      // A view whose pipeline the server does not take is there, too.
      const documents = await db.collection(name).find().toArray().catch(String);
      pieces.push(`${database}.${name} ${JSON.stringify(documents)}`);
    }
  }
  return pieces.join('\n');
}

async function allOf(client: MongoClient): Promise<string[]> {
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  return databases.map(({ name }) => name).sort();
}

async function openCursors(client: MongoClient): Promise<number> {
  const { metrics } = await client.db('admin').command({ serverStatus: 1 });
  return Number(metrics.cursor.open.total);
}

async function outcomeOf(session: MongoBackend, asked: MongoRequest, mode: Mode): Promise<string> {
  const call = callOf(mode, { signal: AbortSignal.timeout(5_000) });
  return session.run(asked, call).then(
    () => 'answered',
    (thrown: unknown) => (thrown instanceof GatewayError ? thrown.code : String(thrown)),
  );
}

interface Seen {
  cases: number;
  readonly faults: string[];
  readonly figures: Record<string, number>;
}

/** One server that is asked and looked at. */
class Run {
  readonly #client: MongoClient;
  readonly #session: MongoBackend;
  readonly #seen: Seen;

  constructor(client: MongoClient, session: MongoBackend, seen: Seen) {
    this.#client = client;
    this.#session = session;
    this.#seen = seen;
  }

  /** Something that changes could change. */
  async stir(): Promise<void> {
    const documents = [{ n: 1 }, { n: 2 }];
    await this.#client.db('shop').collection('customers').insertMany(documents);
  }

  async check(body: JsonObject): Promise<void> {
    const asked = requestOf(body);
    if (asked === undefined) return this.#count('no request');
    await this.#look(asked, body, 'read');
    if (kindSpec('mongo').needs?.(asked) === 'Admin') this.#count('needs Admin');
    else await this.#look(asked, body, 'write');
  }

  async #look(asked: MongoRequest, body: JsonObject, mode: Mode): Promise<void> {
    const { faults } = this.#seen;
    const before = await this.#settled(mode);
    const outcome = await outcomeOf(this.#session, asked, mode);
    this.#seen.cases += 1;
    this.#count(`${mode} ${outcome}`);
    const told = `${mode} ${JSON.stringify(body)} (${outcome})`;
    const after = await this.#content(mode);
    if (after !== before) faults.push(`${told}: ${partingOf(before, after)}`);
    const open = await openCursors(this.#client);
    if (open > 0) faults.push(`${told}: ${open} cursors are open`);
  }

  /** The server goes on with some of what it has answered already. */
  async #settled(mode: Mode): Promise<string> {
    for (let before = await this.#content(mode); ; ) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const now = await this.#content(mode);
      if (now === before) return now;
      before = now;
    }
  }

  async #content(mode: Mode): Promise<string> {
    const databases = mode === 'read' ? await allOf(this.#client) : SYSTEM;
    return contentOf(this.#client, databases);
  }

  #count(what: string): void {
    const { figures } = this.#seen;
    figures[what] = (figures[what] ?? 0) + 1;
  }
}

/** The request, where it is one. */
function requestOf(body: JsonObject): MongoRequest | undefined {
  try {
    return request(body);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return undefined;
    throw thrown;
  }
}

/** Proof of contract §6, "Admin" and "What /read lets through", for MongoDB. */
export const proof: Proof = {
  promise: "Without Admin none of MongoDB's own databases changes, and on /read nothing does.",
  count: 5_000,
  async run({ seed, count, progress }) {
    const seen: Seen = { cases: 0, faults: [], figures: {} };
    const random = randomOf(seed);
    const server = await startBackend('mongo');
    const client = await MongoClient.connect(server.url);
    const url = new URL(server.url);
    url.pathname = '/shop';
    const session = await openClient(mongo, { connection: { url: url.href }, mode: 'write' });
    try {
      const run = new Run(client, session, seen);
      for (let each = 0; each < count; each += 1) {
        if (each % STIR_EVERY === 0) await run.stir();
        await run.check(made(random));
        if (each % 500 === 499) progress(`${each + 1} requests, ${seen.faults.length} faults`);
      }
    } finally {
      await session.close();
      await client.close();
      await server.stop();
    }
    return seen;
  },
};
