/** Asks the server which functions users have made: they go ahead of its own of the same name in other letters, and of types. Contract §6. */
import * as z from 'zod';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { orAbort } from '../deadline.ts';
import { wholeBody } from '../whole-body.ts';
import type { Database } from './database.ts';
import { strange } from './errors.ts';
import type { Statement } from './statement.ts';

/** How long an answer is valid, in milliseconds: a function made meanwhile is noticed after that. */
const ANSWER_MS = 60_000;
/** Servers before functions of users do not know where one comes from. */
const UNKNOWN_COLUMN = '47';
/** Bytes of the answer: names of some ten thousand functions. Spec silent. */
const ANSWER_MAX = 4_194_304;
const QUERY = {
  query: '&default_format=JSONCompact&readonly=1',
  body: "SELECT name FROM system.functions WHERE origin != 'System'",
  read: true,
  changes: false,
};

interface CachedNames {
  readonly names: ReadonlySet<string>;
  readonly expires: number;
}

/** By pool. */
const answers = new WeakMap<Database, CachedNames>();
/** Look-ups under way, for which others wait. */
const pending = new WeakMap<Database, Promise<ReadonlySet<string>>>();

/**
 * Refuses a read that calls a function of a user's which the configuration does not allow.
 * @throws GatewayError BAD_REQUEST, and what the look-up fails with
 */
export async function refuseUserFunctions(
  database: Database,
  statement: Statement,
  call: Call,
): Promise<void> {
  const { allowed } = database;
  if (allowed === true) return;
  const name = await userFunctionIn(database, statement, call, allowed);
  if (name === undefined) return;
  const message = `Function ${name} is a user's and not taken on /read. An administrator may name it in allow_functions`;
  throw new GatewayError('BAD_REQUEST', message, {
    details: [{ rule: 'read_user_function', path: 'query', message, function: name }],
  });
}

/** The first function of a user's that a statement calls and that is not listed. @throws what the look-up fails with */
export async function userFunctionIn(
  database: Database,
  { calls }: Statement,
  call: Call,
  listed: ReadonlySet<string>,
): Promise<string | undefined> {
  if (calls.length === 0) return undefined;
  const names = await namesOf(database, call);
  return calls.find((each) => names.has(each) && !listed.has(each.toLowerCase()))?.slice(0, 64);
}

async function namesOf(database: Database, call: Call): Promise<ReadonlySet<string>> {
  for (;;) {
    const known = answers.get(database);
    if (known && known.expires > Date.now()) return known.names;
    const others = pending.get(database);
    if (!others) return await looked(database, call);
    // Another caller's failure is not this one's.
    await orAbort(
      others.catch(() => {}),
      call.signal,
    );
  }
}

async function looked(database: Database, call: Call): Promise<ReadonlySet<string>> {
  const looking = asked(database, call).then((names) => new Set(names));
  pending.set(database, looking);
  try {
    const names = await looking;
    answers.set(database, { names, expires: Date.now() + ANSWER_MS });
    return names;
  } finally {
    pending.delete(database);
  }
}

async function asked(database: Database, call: Call): Promise<readonly string[]> {
  try {
    const text = await database.call(QUERY, call, async (reply) =>
      (await wholeBody(reply, ANSWER_MAX, strange)).toString(),
    );
    return namesIn(text);
  } catch (error) {
    if (error instanceof GatewayError && isUnknownColumn(error)) return [];
    throw error;
  }
}

function isUnknownColumn({ details }: GatewayError): boolean {
  return (details ?? []).some((each) => 'source' in each && each.code === UNKNOWN_COLUMN);
}

const Answered = z.object({ data: z.array(z.tuple([z.string()])) });

/** @throws GatewayError CONNECTION_FAILED for what is no answer */
function namesIn(text: string): readonly string[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw strange();
  }
  const answer = Answered.safeParse(parsed);
  if (!answer.success) throw strange();
  return answer.data.data.map(([name]) => name);
}
