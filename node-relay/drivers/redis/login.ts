/** Enters a server: version of the protocol, user, database; and what a caller is told when that fails. Source: redis.io/docs/latest/commands/hello. */

import type { RedisCommand } from '../../../kinds/redis/command.ts';
import { ReplyError, type ReplyValue } from '../../../kinds/redis/reply-value.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { TlsFailed } from '../tls-socket.ts';
import { CallLost, Unasked } from './exchange.ts';
import { ProtocolError } from './scalars.ts';
import type { ServerAccess } from './settings.ts';
import type { Wire } from './wire.ts';

/** Bytes of a greeting's replies: some hundred, with the list of modules some thousand. */
const GREETING_MAX = 1_048_576;

/** A connection that has logged in, to read from a replica or not. */
export interface Visit extends ServerAccess {
  /** A replica of a cluster answers reads only when told so. */
  readonly onReplica?: boolean;
}

/**
 * Logs in. What a reset sets back is set here again.
 * @param before sent ahead of it, in the same write
 * @throws GatewayError CONNECTION_FAILED, SERVICE_UNAVAILABLE; CallLost; the signal's reason
 */
export async function logIn(
  wire: Wire,
  visit: Visit,
  signal: AbortSignal,
  before: readonly RedisCommand[] = [],
): Promise<void> {
  const say = async (commands: readonly RedisCommand[]): Promise<readonly ReplyValue[]> => {
    return wire.send(commands, { mode: 'read', signal, replyMaxBytes: GREETING_MAX });
  };
  const hello = visit.protocol === 3 ? [greeting(visit)] : login(visit);
  const commands = [...before, ...hello, ...surroundings(visit)];
  const replies = await say(commands);
  const refusal = replies.find((reply) => reply instanceof ReplyError);
  if (!refusal) return;
  const isOld = visit.protocol === 3 && refusal === replies[before.length] && lacksHello(refusal);
  if (!isOld) throw refused(refusal);
  const again = await say([...login(visit), ...surroundings(visit)]);
  const secondRefusal = again.find((reply) => reply instanceof ReplyError);
  if (secondRefusal) throw refused(secondRefusal);
}

function greeting({ username, password, clientName }: Visit): RedisCommand {
  const auth = password === '' ? [] : ['AUTH', username || 'default', password];
  const name = clientName === '' ? [] : ['SETNAME', clientName];
  return { type: 'hello', args: ['3', ...auth, ...name] };
}

/** Login and name without HELLO. */
function login({ username, password, clientName }: Visit): RedisCommand[] {
  const user = username === '' ? [] : [username];
  const auth = password === '' ? [] : [{ type: 'auth', args: [...user, password] }];
  const name = clientName === '' ? [] : [{ type: 'client setname', args: [clientName] }];
  return [...auth, ...name];
}

function surroundings({ database, onReplica }: Visit): RedisCommand[] {
  const select = database === 0 ? [] : [{ type: 'select', args: [String(database)] }];
  return onReplica ? [...select, { type: 'readonly', args: [] }] : select;
}

/** Servers before Redis 6, and those that only pretend to be one, do not know HELLO or RESP3. */
function lacksHello({ code, message }: ReplyError): boolean {
  if (code === 'NOPROTO') return true;
  return code === 'ERR' && /unknown|syntax|wrong number|unsupported/i.test(message);
}

/** The server was reached and refuses the login: trying again, or another server, does not help. */
export class LoginRefused extends GatewayError {}

/** Whether a server could not be reached, so that another may be tried, or the same one later. */
export function isUnreached(error: unknown): boolean {
  if (error instanceof LoginRefused || error instanceof TlsFailed) return false;
  return error instanceof GatewayError && error.code === 'CONNECTION_FAILED';
}

/** Words for a refused login; nothing from the server's own text. */
function refused(error: ReplyError): GatewayError {
  const [code, message] = namedRefusal(error);
  return new LoginRefused(code, message, { cause: new Error(error.code) });
}

function namedRefusal({
  code,
  message,
}: ReplyError): ['CONNECTION_FAILED' | 'SERVICE_UNAVAILABLE', string] {
  if (/max number of clients/i.test(message)) {
    return ['SERVICE_UNAVAILABLE', 'The server has too many connections'];
  }
  if (/DB index|invalid (?:first )?DB|SELECT is not allowed/i.test(message)) {
    return ['CONNECTION_FAILED', 'The database does not exist'];
  }
  return ['CONNECTION_FAILED', REFUSALS[code] ?? otherRefusal(message)];
}

const REFUSALS: { readonly [code: string]: string } = {
  WRONGPASS: 'Password authentication failed',
  NOAUTH: 'The server asks for a password',
  NOPERM: 'The user may not connect to the database',
  DENIED: 'The server does not let anybody in from here',
  NOPROTO: 'The server does not speak that version of its protocol',
};

function otherRefusal(message: string): string {
  if (/without any password/i.test(message)) return 'The server knows no password for this user';
  if (/invalid password/i.test(message)) return 'Password authentication failed';
  return 'The server refused the login';
}

/** The failure of a connection that was not made. */
export function connectFailure(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  if (cause instanceof CallLost && cause.cause instanceof Unasked)
    return refused(cause.cause.reply);
  return new GatewayError('CONNECTION_FAILED', wordsFor(cause), { cause });
}

function wordsFor(cause: unknown): string {
  if (cause instanceof TlsFailed) return cause.message;
  if (!(cause instanceof CallLost)) return 'The server cannot be reached';
  if (cause.cause instanceof ProtocolError)
    return 'The server does not speak the protocol of Redis';
  return 'The server closed the connection during login';
}
