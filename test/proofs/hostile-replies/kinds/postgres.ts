/** Hostile PostgreSQL servers. Source: PostgreSQL manual, "Message Formats". */
import { TestDatabase } from '../../../../node-relay/drivers/postgres/test/database.ts';
import type { Framing, HostileKind, Turn } from '../kind.ts';
import { sqlFault } from '../sql-fault.ts';
import { realServer } from '../sql-server.ts';

const SETUP = `
  CREATE TYPE mood AS ENUM ('calm', 'cross');
  CREATE TABLE items (id int PRIMARY KEY, name text, price numeric(10,2), tags text[], at timestamptz, data bytea, extra jsonb, mood mood);
  INSERT INTO items SELECT n, 'item ' || n, n * 1.25, ARRAY['a', 'b ' || n], '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 hour',
    decode('00ff' || lpad(n::text, 2, '0'), 'hex'), jsonb_build_object('n', n), CASE WHEN n % 2 = 0 THEN 'calm'::mood END
  FROM generate_series(1, 20) n`;
const SELECT =
  'SELECT id, name, price, tags, at, data, extra, mood FROM items WHERE id <= $1 ORDER BY id';

/** CancelRequest and SSLRequest are sent where a startup message may. */
const CANCEL = 80_877_102;

const framing: Framing = {
  length: { at: 1, size: 4, order: 'BE' },
  messages(reply) {
    const messages: Buffer[] = [];
    for (let at = 0; at < reply.length; ) {
      const end = at + 1 + reply.readUInt32BE(at + 1);
      messages.push(reply.subarray(at, end));
      at = end;
    }
    return messages;
  },
  turnEnd(sent, first) {
    if (first)
      return sent.length >= 4 && sent.length >= sent.readUInt32BE(0) ? sent.readUInt32BE(0) : 0;
    for (let at = 0; at + 5 <= sent.length; ) {
      const letter = String.fromCharCode(sent[at] ?? 0);
      at += 1 + sent.readUInt32BE(at + 1);
      // Sync, Flush, a password, Terminate: what a reply, or an end, follows.
      if (at <= sent.length && 'SHpX'.includes(letter)) return at;
    }
    return 0;
  },
  otherwise: (asked) =>
    asked.length === 16 && asked.readUInt32BE(4) === CANCEL ? 'close' : undefined,
};

/** A server that trusts everybody: how a password is checked depends on what the client draws. */
function trusting(turns: Turn[]): Turn[] {
  const [startup, ...rest] = turns;
  const asked = rest.findIndex(({ sent }) => sent[0] !== 0x70);
  const last = rest[asked - 1];
  if (startup === undefined || last === undefined) return turns;
  // Without the last word of the exchange about the password.
  const reply = last.reply.filter(
    (message) => message[0] !== 0x52 || message.readUInt32BE(5) === 0,
  );
  return [{ ...startup, reply }, ...rest.slice(asked)];
}

export const kind: HostileKind = {
  kind: 'postgres',
  framing,
  calls: [
    {
      name: 'query',
      method: 'run',
      mode: 'read',
      request: { type: 'query', query: SELECT, params: [10] },
    },
    {
      name: 'write',
      method: 'run',
      mode: 'write',
      request: { type: 'query', query: 'UPDATE items SET name = name WHERE id = 1 RETURNING id' },
    },
    {
      name: 'simple',
      method: 'run',
      mode: 'read',
      request: {
        type: 'simple_read_only',
        query: 'SELECT 1 AS one; SELECT name FROM items ORDER BY id LIMIT 2',
      },
    },
    {
      name: 'copy_out',
      method: 'run',
      mode: 'read',
      request: {
        type: 'copy_out',
        query: 'COPY (SELECT id, name FROM items ORDER BY id) TO STDOUT',
      },
    },
    {
      name: 'refused',
      method: 'run',
      mode: 'read',
      request: { type: 'query', query: 'SELECT missing FROM items' },
      fails: 'REQUEST_FAILED',
    },
    {
      name: 'rows',
      method: 'stream',
      mode: 'read',
      request: { type: 'query', query: SELECT, params: [20] },
    },
  ],
  start: async () => realServer(await TestDatabase.create(SETUP), { sslmode: 'disable' }),
  edit: (connections) => connections.map(trusting),
  faultOf: sqlFault,
};
