/** What a read may not hold: stages and operators that write or run JavaScript, commands that do more than read. Contract §6. */

import { commandName } from '../../../kinds/mongo/admin.ts';
import { READING } from '../../../kinds/mongo/reads.ts';
import { refusedAt } from '../../../kinds/refusals.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { namesOf } from '../../../proto/ordered-json.ts';

/** Anywhere in a filter, an expression or a pipeline, at any depth. */
const REFUSED = new Set([
  ...['$out', '$merge', '$where', '$function', '$accumulator'],
  // They hold the server's files as they are, and begin its counts again.
  ...['$backupCursor', '$backupCursorExtend', '$operationMetrics'],
]);

/** The rule by which parts of a read are refused, as errors name it. */
const OPERATOR = 'read_operator';
/** Of those, what not every argument leaves a read. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  validate: ['repair', 'fixMultikey', 'background', 'full'],
  features: ['oidReset'],
};
/** Commands that change the connection's user or protocol, which the next caller would get. */
const OF_CONNECTION = new Set(['logout', 'authenticate', 'saslstart', 'saslcontinue', 'getnonce']);
/** Commands that greet the server; the driver has sent its own already. */
const GREETINGS = new Set(['hello', 'ismaster']);
const OF_GREETING = new Set(['comment', 'maxTimeMS', 'saslSupportedMechs', '$readPreference']);
/** What may be explained. */
const EXPLAINED = new Set(['find', 'aggregate', 'count', 'distinct']);
/** Members of a command that decide what is done with it are not the caller's. */
const RESERVED = new Set([
  ...['lsid', 'txnNumber', 'autocommit', 'startTransaction', 'startOrContinueTransaction'],
  ...['stmtId', 'stmtIds', 'clientOperationKey', 'mayBypassWriteBlocking', 'coordinator'],
]);
/** Those that begin so are of servers among themselves, or set their clock; except for this one. */
const OF_CALLER = '$readPreference';

/**
 * Refuses a value of a read that writes or runs code.
 * @throws GatewayError BAD_REQUEST naming where
 */
export function checkRead(value: Json | undefined, path: string): void {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) checkRead(each, `${path}.${index}`);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const name of namesOf(value)) {
    const at = `${path}.${name.slice(0, 64)}`;
    if (REFUSED.has(name) || name.startsWith('$_internal'))
      throw refusedAt(at, `${name} is not taken on /read: send it to /write`, OPERATOR);
    checkRead(value[name], at);
  }
}

/**
 * Refuses a command of a read that is not known to only read, and every command that takes the
 * session's own members.
 * @throws GatewayError BAD_REQUEST
 */
export function checkCommand(command: JsonObject, read: boolean, path = 'command'): void {
  for (const name of namesOf(command)) {
    const isReserved = RESERVED.has(name) || (name.startsWith('$') && name !== OF_CALLER);
    if (isReserved) throw refusedAt(`${path}.${name}`, `${name} is the gateway's own to say`);
  }
  const name = commandName(command);
  checkConnection(name, command, path);
  if (!read) return;
  if (!READING.has(name)) {
    throw refusedAt(
      path,
      `The command ${name.slice(0, 64)} is not one of those that only read; send it to /write`,
      'read_command',
    );
  }
  for (const argument of ARGUMENTS[name] ?? []) {
    if (isSet(command[argument]))
      throw refusedAt(`${path}.${argument}`, `${argument} is not taken on /read`, OPERATOR);
  }
  if (name === 'explain') checkExplained(command, path);
  checkRead(command, path);
}

/** @throws GatewayError BAD_REQUEST */
function checkConnection(name: string, command: JsonObject, path: string): void {
  if (OF_CONNECTION.has(name)) {
    const message = `${name} changes who is on the connection: the endpoint's configuration says who that is`;
    throw refusedAt(path, message);
  }
  if (!GREETINGS.has(name)) return;
  const other = namesOf(command)
    .slice(1)
    .find((each) => !OF_GREETING.has(each));
  if (other !== undefined) {
    throw refusedAt(`${path}.${other.slice(0, 64)}`, `${name} is answered without it`);
  }
}

function checkExplained(command: JsonObject, path: string): void {
  const inner = command[namesOf(command)[0] ?? ''];
  if (!isJsonObject(inner) || !EXPLAINED.has(commandName(inner))) {
    throw refusedAt(path, `explain takes ${[...EXPLAINED].join(', ')} on /read`);
  }
  checkCommand(inner, true, `${path}.explain`);
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== false && value !== null && value !== 0;
}
