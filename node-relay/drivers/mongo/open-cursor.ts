/** Cursors that commands leave open on the server: read on, and closed, on the member that has them. */

import { BSON, type Db, Long, type MongoClient, ReadPreference } from 'mongodb';
import executing from 'mongodb/lib/operations/execute_operation.js';
import continuing, { type Batch } from 'mongodb/lib/operations/get_more.js';
import killing from 'mongodb/lib/operations/kill_cursors.js';
import running from 'mongodb/lib/operations/run_command.js';
import spaces from 'mongodb/lib/utils.js';
import type { Execution } from './database.ts';
import { later } from './progress.ts';

/** Milliseconds that closing is waited for. Spec silent. */
const CLOSE_MS = 2_000;

/** What a command answered, and the cursor that it left open. */
interface Ran {
  readonly reply: Uint8Array;
  readonly cursor: OpenCursor | undefined;
}

/** Runs a command as it is. @throws what the driver throws */
export async function ran(
  { client, session, reply }: Execution,
  database: Db,
  command: Record<string, unknown>,
  readPreference: unknown,
): Promise<Ran> {
  const options = { session, readPreference: preferred(readPreference) };
  const space = spaces.ns(database.databaseName);
  const operation = new running.RunCommandOperation(space, command, options);
  const made = await executing.executeOperation(client, operation);
  const bytes = reply() ?? BSON.serialize(made as object, { ignoreUndefined: false }); // A reply is a document.
  const found = BSON.deserialize(bytes, { raw: true, promoteValues: false }).cursor;
  if (!(found instanceof Uint8Array)) return { reply: bytes, cursor: undefined };
  const { id, ns } = BSON.deserialize(found, {
    raw: true,
    promoteValues: false,
    promoteLongs: false,
  });
  const isOpen = Long.isLong(id) && !id.isZero() && typeof ns === 'string';
  const cursor = isOpen ? new OpenCursor(client, operation.server, id, ns) : undefined;
  return { reply: bytes, cursor };
}

function preferred(given: unknown): ReadPreference | undefined {
  // Checked by the driver itself.
  return ReadPreference.fromOptions({ readPreference: given as ReadPreference });
}

/** One that has more to tell. */
export class OpenCursor {
  readonly #client: MongoClient;
  readonly #server: unknown;
  readonly #space: unknown;
  #id: Long;

  constructor(client: MongoClient, server: unknown, id: Long, namespace: string) {
    this.#client = client;
    this.#server = server;
    this.#id = id;
    this.#space = spaces.ns(namespace);
  }

  get isOpen(): boolean {
    return !this.#id.isZero();
  }

  /** The next documents, as their bytes; a call that has ended asks for none. @throws what the driver throws */
  async next({ session, call }: Pick<Execution, 'session' | 'call'>): Promise<Uint8Array[]> {
    call.signal.throwIfAborted();
    const { GetMoreOperation } = continuing;
    const operation = new GetMoreOperation(this.#space, this.#id, this.#server, { session });
    const batch = await executing.executeOperation(this.#client, operation);
    return this.#taken(batch as Batch); // What this operation answers.
  }

  /** Ends it where it is open; a server that does not answer is not waited for. */
  async close(): Promise<void> {
    if (!this.isOpen) return;
    // In a session of its own: that of a call that was stopped has ended with it.
    const operation = new killing.KillCursorsOperation(this.#id, this.#space, this.#server, {});
    this.#id = Long.ZERO;
    const told = executing.executeOperation(this.#client, operation).catch(() => {});
    await Promise.race([told, later(CLOSE_MS)]);
  }

  #taken(batch: Batch): Uint8Array[] {
    this.#id = batch.id;
    const documents: Uint8Array[] = [];
    for (;;) {
      const each = batch.shift({ raw: true });
      if (each === null) return documents;
      documents.push(each);
    }
  }
}
