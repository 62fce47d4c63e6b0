/** Runs a request of any type that Neon's protocol can. */
import { checkType, isRead, severalStatements } from '../../../../kinds/postgres/dialect/admit.ts';
import type { PostgresRequest } from '../../../../kinds/postgres/index.ts';
import type { Call } from '../../../../proto/driver.ts';
import { lacks, listBytes } from '../sql/reply.ts';
import { sendThenWrite } from '../sql/send-then-write.ts';
import type { Query } from './bind.ts';
import type { Database } from './database.ts';
import { changeOf, execute, ready, undoneAmong, written } from './execute.ts';
import { unchanged } from './rewrite.ts';

/** As errors name the vendor. */
export const VENDOR = 'Neon';

type SeveralRequest = Extract<
  PostgresRequest,
  { type: 'simple' | 'simple_read_only' | 'batch_execute' }
>;

/** Runs a request. @throws GatewayError, NeonDbError */
export async function runRequest(
  database: Database,
  request: PostgresRequest,
  call: Call,
): Promise<Uint8Array> {
  checkType(request, call.mode);
  switch (request.type) {
    case 'copy_in':
    case 'copy_out':
      throw lacks(VENDOR, 'COPY', 'Postgres');
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
  const statements = severalStatements(request.query, 'http');
  const all: Query[] = [];
  for (const parsed of statements) {
    const inquirer = database.inquirer(call);
    await database.allowGuard?.admit(parsed, undefined, inquirer);
    const undone = read && !(await database.guard.admit(parsed, undefined, inquirer)).plain;
    const rewritten = unchanged(parsed.text);
    all.push({ request, parsed, read, undone, rewritten, values: [], mark: undefined });
  }
  const [first, ...others] = all;
  if (first === undefined) return listBytes('{"results":[', [], ']}');
  // One statement is a transaction by itself, and some may not be in another.
  if (others.length === 0) {
    return listBytes('{"results":[', [await execute(database, first, call)], ']}');
  }
  const texts = all.map(({ rewritten: { text } }) => ({ text }));
  const { sent, places } = undoneAmong(texts, all);
  return sendThenWrite(
    changeOf(!read),
    () => database.together(sent, read, call),
    async (answers) => {
      const results: Uint8Array[] = [];
      let left = call.resultMaxBytes;
      for (const [at, place] of places.entries()) {
        const result = await written(database, all[at] ?? first, answers[place], call, left);
        left -= result.length;
        results.push(result);
      }
      return listBytes('{"results":[', results, ']}');
    },
  );
}
