/** Hostile MySQL servers. Source: MySQL Internals, "Client/Server Protocol". */
import { TestDatabase } from '../../../../node-relay/drivers/mysql/test/database.ts';
import type { Framing, HostileKind } from '../kind.ts';
import { sqlFault } from '../sql-fault.ts';
import { realServer } from '../sql-server.ts';

const SETUP = `
  CREATE TABLE items (id int PRIMARY KEY, name varchar(80), price decimal(10,2), ratio double, big bigint unsigned, at datetime(3), took time, data varbinary(80), extra json, sort enum('calm', 'cross'), flags bit(8));
  INSERT INTO items SELECT seq, concat('item ', seq), seq * 1.25, seq / 7, 18446744073709551000 + seq, '2026-01-01 10:00:00.123' + INTERVAL seq HOUR, '11:12:13', unhex(concat('00ff', lpad(seq, 2, '0'))),
    json_object('n', seq), if(seq % 2 = 0, 'calm', NULL), seq FROM seq_1_to_20`;
const COLUMNS = 'id, name, price, ratio, big, at, took, data, extra, sort, flags';
const SELECT = `SELECT ${COLUMNS} FROM items WHERE id <= ? ORDER BY id`;

const HEAD = 4;
const CLOSE_STATEMENT = 25;
const QUIT = 1;

/** The number that the first packet of a turn holds behind its head is its command. */
const framing: Framing = {
  length: { at: 0, size: 3, order: 'LE' },
  messages(reply) {
    const messages: Buffer[] = [];
    for (let at = 0; at < reply.length; ) {
      const end = at + HEAD + reply.readUIntLE(at, 3);
      messages.push(reply.subarray(at, end));
      at = end;
    }
    return messages;
  },
  turnEnd(sent) {
    for (let at = 0; at + HEAD <= sent.length; ) {
      const command = sent[at + 3] === 0 ? sent[at + HEAD] : undefined;
      at += HEAD + sent.readUIntLE(at, 3);
      // What is closed is not answered.
      if (at <= sent.length && command !== CLOSE_STATEMENT) return at;
    }
    return 0;
  },
  // Seeds of rand() are drawn, and so is what a password is hidden with.
  keyOf: (turn) =>
    turn[3] === 1
      ? 'login'
      : turn.toString('latin1').replace(/rand_seed(\d) = \d+/g, 'rand_seed$1'),
  otherwise: (asked) => (asked[HEAD] === QUIT ? 'close' : undefined),
};

export const kind: HostileKind = {
  kind: 'mysql',
  framing,
  calls: [
    {
      name: 'query',
      method: 'run',
      mode: 'read',
      request: { type: 'query', query: SELECT, params: [10] },
    },
    {
      name: 'text',
      method: 'run',
      mode: 'read',
      request: { type: 'simple_read_only', query: `SELECT 1 AS one; SELECT ${COLUMNS} FROM items` },
    },
    {
      name: 'write',
      method: 'run',
      mode: 'write',
      request: { type: 'execute', query: 'UPDATE items SET name = name WHERE id = 1' },
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
  start: async () => realServer(await TestDatabase.create(SETUP), { 'ssl-mode': 'DISABLED' }),
  faultOf: sqlFault,
};
