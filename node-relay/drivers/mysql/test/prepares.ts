/** What the suite of drivers that prepare needs to know of this one, on a MariaDB that is killed and started again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysqlClient from 'mysql2/promise';
import type { MysqlRequest } from '../../../../kinds/mysql/index.ts';
import { type MariadbServer, startMariadb } from '../../../../test/servers/mariadb-server.ts';
import type { PreparesContract } from '../../contract-prepares.ts';
import { mysql } from '../index.ts';
import { sql } from './database.ts';

const SETUP = `CREATE DATABASE shares; USE shares;
  CREATE TABLE entries (name varchar(200)); CREATE TABLE firsts (name varchar(200) PRIMARY KEY);
  CREATE TABLE numbers (n int); INSERT INTO numbers VALUES (0);
  CREATE TABLE plain (a int) ENGINE = MyISAM;
  CREATE TABLE telling (a int);
  CREATE TRIGGER tell BEFORE INSERT ON telling FOR EACH ROW INSERT INTO plain VALUES (1);
  CREATE PROCEDURE commits() COMMIT;
  CREATE PROCEDURE defines() CREATE TABLE made (a int);`;

/** Statements that end a share, cannot be undone, or are none. */
const REFUSED = [
  'COMMIT',
  'commit work',
  'ROLLBACK',
  'BEGIN',
  'START TRANSACTION',
  "XA END 'x'",
  "/* a */ XA COMMIT 'x'",
  "# a\nXA ROLLBACK 'x'",
  'XA RECOVER',
  'SAVEPOINT a',
  'SELECT 1; COMMIT',
  '/*!50000 COMMIT */',
  '/*M!100000 COMMIT */',
  'SELECT 1 /*! + 1 */',
  'BEGIN NOT ATOMIC COMMIT; END',
  "EXECUTE IMMEDIATE 'COMMIT'",
  "PREPARE s FROM 'COMMIT'",
  'CALL commits()',
  'CALL defines()',
  'SET autocommit = 1',
  'CREATE TABLE another (a int)',
  'ALTER TABLE entries ADD b int',
  'DROP TABLE entries',
  'TRUNCATE entries',
  'RENAME TABLE entries TO others',
  'LOCK TABLES entries WRITE',
  'UNLOCK TABLES',
  'FLUSH TABLES',
  'ANALYZE TABLE entries',
  'OPTIMIZE TABLE entries',
  "GRANT SELECT ON entries TO 'x'@'y'",
  'USE mysql',
  'INSERT INTO plain VALUES (1)',
  'INSERT INTO telling VALUES (1)',
  'not a statement',
];

let folder: string;
let server: MariadbServer;

async function start(): Promise<void> {
  server = await startMariadb({ folder, password: 'of a server of its own' });
}

/** What the suite is run with. */
export const mysqlPrepares: PreparesContract<MysqlRequest> = [
  'mysql',
  async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-prepares-'));
    await start();
    const outside = await mysqlClient.createConnection({
      uri: server.url,
      multipleStatements: true,
    });
    await outside.query(SETUP);
    await outside.end();
    return {
      kind: 'mysql',
      driver: mysql,
      connection: () => ({ url: `${server.url}shares` }),
      restart: async () => {
        process.kill(server.pid, 'SIGKILL');
        await start();
      },
      add: (name) => sql('INSERT INTO entries VALUES (?)', [name]),
      first: (name) => sql('INSERT INTO firsts VALUES (?)', [name]),
      count: (name) => sql('SELECT count(*) AS n FROM entries WHERE name = ?', [name]),
      increment: sql('UPDATE numbers SET n = n + 1'),
      number: sql('SELECT n FROM numbers'),
      refused: [
        ...REFUSED.map((query) => ({ what: query, request: sql(query) })),
        {
          what: 'several statements',
          request: sql('SELECT 1; SELECT 2', undefined, { type: 'simple' }),
        },
      ],
      tellsOwner: false,
      keepsOutcomes: false,
    };
  },
  async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  },
];
