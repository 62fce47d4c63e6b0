/** Runs a request of any type that PlanetScale's protocol can. */
import { checkType, isRead, severalStatements } from '../../../../kinds/mysql/dialect/admit.ts';
import type { MysqlRequest } from '../../../../kinds/mysql/index.ts';
import type { Call } from '../../../../proto/driver.ts';
import { listBytes } from '../sql/reply.ts';
import type { Database } from './database.ts';
import { admit, execute, inTransaction, type Query, ready, run } from './execute.ts';

type SeveralRequest = Exclude<MysqlRequest, { params?: unknown }>;

/** Runs a request. @throws GatewayError, DatabaseError */
export async function runRequest(
  database: Database,
  request: MysqlRequest,
  call: Call,
): Promise<Uint8Array> {
  checkType(request, call.mode);
  switch (request.type) {
    case 'simple':
    case 'simple_read_only':
    case 'batch_execute':
      return runSeveral(database, request, call);
    default: {
      const read = isRead(request, call.mode);
      return execute(database, await ready(database, request, read, 'http', call), call);
    }
  }
}

/** Several statements, together or not at all: `{results: […]}`. Contract §6. */
async function runSeveral(
  database: Database,
  request: SeveralRequest,
  call: Call,
): Promise<Uint8Array> {
  const read = isRead(request, call.mode);
  const all: Query[] = [];
  for (const parsed of severalStatements(request.query, 'http')) {
    await admit(database, parsed, read, call);
    all.push({ request, parsed, read, text: parsed.text });
  }
  const [first, ...others] = all;
  if (first !== undefined && others.length === 0) {
    return listBytes('{"results":[', [await execute(database, first, call)], ']}');
  }
  const line = database.line(call);
  const results = await inTransaction(line, call, read ? 'read' : 'write', async () => {
    const each: Uint8Array[] = [];
    let left = call.resultMaxBytes;
    for (const statement of all) {
      const result = await run(line, statement, call, left);
      left -= result.length;
      each.push(result);
    }
    return each;
  });
  return listBytes('{"results":[', results, ']}');
}
