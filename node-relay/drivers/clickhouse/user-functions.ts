/** Asks the server which functions users have made: they go ahead of its own of the same name in other letters, and of types. Contract §6. */
import type { IncomingMessage } from 'node:http';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { orAbort } from '../../deadline.ts';
import type { Database } from './database.ts';
import type { Statement } from './statement.ts';

/** How long an answer stands, in milliseconds: a function made meanwhile is noticed after that. */
const ANSWER_MS = 60_000;
/** Servers before functions of users do not know where one comes from. */
const UNKNOWN_COLUMN = '47';
const QUERY = {
  query: '&default_format=JSONCompact&readonly=1',
  body: "SELECT name FROM system.functions WHERE origin != 'System'",
  read: true,
  changes: false,
};

interface Answer {
  readonly names: ReadonlySet<string>;
  readonly expires: number;
}

/** By pool. */
const answers = new WeakMap<Database, Answer>();
/** Look-ups under way, for which others wait. */
const pending = new WeakMap<Database, Promise<ReadonlySet<string>>>();

/**
 * Refuses a read that calls a function of a user's which the configuration does not allow.
 * @throws GatewayError BAD_REQUEST, and what the look-up fails with
 */
export async function refuseUserFunctions(
  database: Database,
  { calls }: Statement,
  call: Call,
): Promise<void> {
  const { allowed } = database;
  if (allowed === true || calls.length === 0) return;
  const names = await namesOf(database, call);
  const name = calls.find((each) => names.has(each) && !allowed.has(each.toLowerCase()));
  if (name === undefined) return;
  const message = `Function ${name.slice(0, 64)} is a user's and not taken on /read. An administrator may name it in allow_functions`;
  throw new GatewayError('BAD_REQUEST', message, {
    details: [{ rule: 'read_user_function', path: 'query', message, function: name.slice(0, 64) }],
  });
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
    const { data } = JSON.parse(await database.call(QUERY, call, textOf)) as {
      readonly data: readonly (readonly [name: string])[]; // As the format says.
    };
    return data.map(([name]) => name);
  } catch (error) {
    if (error instanceof GatewayError && isUnknownColumn(error)) return [];
    throw error;
  }
}

function isUnknownColumn({ details }: GatewayError): boolean {
  return (details ?? []).some((each) => 'source' in each && each.code === UNKNOWN_COLUMN);
}

async function textOf(reply: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of reply as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
