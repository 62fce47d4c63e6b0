/** Asks the server which names are tables of a database. */
import * as z from 'zod';
import type { Call } from '../../../proto/driver.ts';
import { wholeBody } from '../whole-body.ts';
import type { Database } from './database.ts';
import { strange } from './errors.ts';

/** Bytes of the answer. Spec silent. */
const ANSWER_MAX = 1_048_576;
const Answer = z.object({ data: z.array(z.tuple([z.string()])) });

/** Those of the names that are tables or views there, as far as the credential sees them. @throws what the look-up fails with */
export async function existingTables(
  database: Database,
  home: string,
  names: readonly string[],
  call: Call,
): Promise<readonly string[]> {
  const list = names.map(quotedText).join(', ');
  const query = {
    query: '&default_format=JSONCompact&readonly=1',
    body: `SELECT name FROM system.tables WHERE database = ${quotedText(home)} AND name IN (${list}, '')`,
    read: true,
    changes: false,
  };
  const text = await database.call(query, call, async (reply) =>
    (await wholeBody(reply, ANSWER_MAX, strange)).toString(),
  );
  const answer = Answer.safeParse(JSON.parse(text));
  if (!answer.success) throw strange(answer.error);
  return answer.data.data.map(([name]) => name);
}

function quotedText(value: string): string {
  return `'${value.replace(/[\\']/g, '\\$&')}'`;
}
