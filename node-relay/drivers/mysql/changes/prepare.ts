/** Finds what a server lacks to tell its changes, and where they begin. Source: MySQL manual, "Binary Logging Options and Variables". */
import { setTimeout as sleep } from 'node:timers/promises';
import { notAllowed } from '../../../../kinds/allow.ts';
import { ServerError } from '../../../../kinds/mysql/dialect/failures.ts';
import type { PreparedChanges } from '../../../../proto/changes.ts';
import { GatewayError } from '../../../../proto/errors.ts';
import { lacking, serverLacks } from '../../change-batch.ts';
import type { Connection } from '../connection.ts';
import { lookUpTables, type OwnChangesRequest } from './columns.ts';
import { markOf, type Position, positionText } from './position.ts';

const SERVER = `SELECT CAST(@@log_bin AS CHAR), CAST(@@binlog_format AS CHAR), CAST(@@binlog_row_image AS CHAR), CAST(@@server_id AS CHAR)`;
/** Names of the setting that compresses, of MariaDB and of MySQL. */
const COMPRESSES = ['log_bin_compress', 'binlog_transaction_compression'];
const STATUS = ['SHOW BINARY LOG STATUS', 'SHOW MASTER STATUS'];
/** Access that a statement or a command needs. */
const DENIED = new Set([1044, 1045, 1227, 1142]);

/** Milliseconds that transactions have to end that are prepared already, and between two looks at them. */
const PREPARED = { mostMs: 5_000, lookMs: 100 };

/** @throws GatewayError BAD_REQUEST with each thing that is lacking */
export async function prepare(
  connection: Connection,
  request: OwnChangesRequest,
  mayStream: (from: Position) => Promise<void>,
): Promise<PreparedChanges> {
  const faults = await serverFaults(connection);
  if (faults.length > 0) throw serverLacks(...faults);
  const looked = await lookUpTables(connection, request);
  const closed = looked.findIndex((each) => 'isClosed' in each);
  if (closed >= 0) {
    throw notAllowed('Table', looked[closed]?.watched.name ?? '', `collections[${closed}]`);
  }
  const lacks = looked.flatMap((each, at) =>
    'fault' in each ? [{ path: `collections[${at}]`, message: each.fault }] : [],
  );
  if (lacks.length > 0) throw lacking(lacks);
  const position = await currentPosition(connection).catch((error: unknown) => {
    throw denied(error, 'REPLICATION CLIENT (MariaDB: BINLOG MONITOR)');
  });
  await mayStream(position).catch((error: unknown) => {
    throw denied(error, 'REPLICATION SLAVE');
  });
  await preparedEnded(connection);
  const { file, whole: place } = await currentPosition(connection);
  return { position: positionText(position), mark: markOf({ file, place }) };
}

/** What they changed is ahead of the position, and would not be told though they commit after the answer. */
async function preparedEnded(connection: Connection): Promise<void> {
  const now = async () => {
    const rows = await textRows(connection, 'XA RECOVER').catch((error: unknown) => {
      // Not everybody may see them.
      if (error instanceof ServerError) return [];
      throw error;
    });
    return new Set(rows.map((row) => row.join(' ')));
  };
  const end = performance.now() + PREPARED.mostMs;
  for (let left = await now(); left.size > 0 && performance.now() < end; ) {
    await sleep(PREPARED.lookMs);
    left = left.intersection(await now());
  }
}

/** Where the server's log ends now. */
export async function currentPosition(connection: Connection): Promise<Position> {
  const [[, , , server = ''] = []] = await connection.rows(SERVER, []);
  for (const statement of STATUS) {
    try {
      const [row] = await textRows(connection, statement);
      if (row?.[0] && row[1]) return { server, file: row[0], whole: Number(row[1]) };
    } catch (error) {
      // Each server knows one of the two.
      if (!(error instanceof ServerError && error.errno === 1064)) throw error;
    }
  }
  throw new GatewayError('REQUEST_FAILED', 'The server does not say where its binary log is');
}

/** The server's own id. */
export async function serverId(connection: Connection): Promise<string> {
  const [row] = await connection.rows(SERVER, []);
  return row?.[3] ?? '';
}

async function serverFaults(connection: Connection): Promise<string[]> {
  const [[log, format, image] = []] = await connection.rows(SERVER, []);
  const faults: string[] = [];
  const restart = 'in my.cnf, and restart the server';
  if (log !== '1' && log !== 'ON')
    faults.push(`log_bin of the server is off: write log_bin and server_id ${restart}`);
  if (format !== 'ROW') {
    faults.push(
      `binlog_format of the server is ${format}, and must be ROW: SET GLOBAL binlog_format = 'ROW', and the same ${restart}`,
    );
  }
  if (image !== 'FULL') {
    faults.push(
      `binlog_row_image of the server is ${image}, and must be FULL: SET GLOBAL binlog_row_image = 'FULL'`,
    );
  }
  for (const name of COMPRESSES) {
    const [row] = await textRows(connection, `SHOW GLOBAL VARIABLES LIKE '${name}'`);
    if (row?.[1] === 'ON')
      faults.push(`${name} of the server is on, and must be off: SET GLOBAL ${name} = OFF`);
  }
  return faults;
}

/** Rows in the text form: the server does not prepare every statement. */
async function textRows(connection: Connection, statement: string): Promise<string[][]> {
  const rows: string[][] = [];
  let columns = 0;
  await connection.query(statement, {
    columns: (found) => (columns = found.length),
    row: (reader) => {
      // The first two are never null, and no more of `XA RECOVER`.
      const most = statement === 'XA RECOVER' ? columns : 2;
      const texts = Array.from({ length: Math.min(most, columns) }, () => reader.lengthText());
      rows.push(texts);
    },
  });
  return rows;
}

function denied(error: unknown, right: string): unknown {
  if (!(error instanceof ServerError && DENIED.has(error.errno))) return error;
  const message = `The user of write_conn lacks a right: GRANT ${right} ON *.* TO …;`;
  return serverLacks(message);
}
