/** What is to have one effect, as the commands of one script. Spec: transactions.md §7. */
import { isPipeline, type RedisCommand, wordText } from '../../../kinds/redis/command.ts';
import type { RedisRequest } from '../../../kinds/redis/index.ts';
import { checkEach } from '../../../kinds/transaction.ts';
import type { Mode } from '../../../proto/driver.ts';
import { badRequest, GatewayError } from '../../../proto/errors.ts';
import type { OnceWork } from '../../../proto/once.ts';
import { joinOf } from './fan-out.ts';
import { checkCommand } from './guard.ts';
import { namesHost } from './hosts.ts';
import { canonical } from './routing.ts';
import { checkOperation } from './transact.ts';

/** Most words of one command: a script hands them over on its stack. Source: LUAI_MAXCSTACK of Lua 5.1, 8,000. */
const WORDS_MAX = 7_000;
/** Servers refuse them in scripts, or they wait, run scripts of their own, act on the whole server. Source: flag `noscript` of COMMAND. */
const FAMILIES = new Set([
  ...['eval', 'eval_ro', 'evalsha', 'evalsha_ro', 'fcall', 'fcall_ro', 'script', 'function'],
  ...['acl', 'client', 'cluster', 'config', 'debug', 'failover', 'latency', 'module', 'sentinel'],
  ...['bgrewriteaof', 'bgsave', 'migrate', 'monitor', 'psync', 'replicaof', 'save', 'shutdown'],
  ...['slaveof', 'sync', 'swapdb', 'wait', 'waitaof'],
]);
/** Fields whose values scripts, which reckon in doubles, cannot answer exactly. */
const WIDE = /^[iu](?:5[4-9]|6\d)$/i;

/** Work that a script can do. */
export interface Scripted {
  readonly commands: readonly RedisCommand[];
  /** Each of a pipeline's commands has a result or an error of its own. */
  readonly isPipeline: boolean;
  readonly isTransaction: boolean;
}

/** @throws GatewayError BAD_REQUEST naming what cannot be kept together with its mark */
export function scripted(work: OnceWork<RedisRequest>, mode: Mode): Scripted {
  if ('operations' in work) {
    const commands = checkEach(work.operations, (request) => {
      const command = checkOperation(request);
      checkScripted(command, 'type');
      return command;
    });
    return { commands, isPipeline: false, isTransaction: true };
  }
  const { request } = work;
  if (!isPipeline(request)) {
    const effect = checkCommand(request, mode, 'request');
    if (effect === 'wait') throw notScripted(request, 'type', 'waits');
    checkScripted(request, 'type');
    return { commands: [request], isPipeline: false, isTransaction: false };
  }
  for (const [index, command] of request.pipeline.entries()) {
    const path = `pipeline.${index}.type`;
    checkCommand(command, mode, 'pipeline', path);
    checkScripted(command, path);
  }
  return { commands: request.pipeline, isPipeline: true, isTransaction: false };
}

function checkScripted(command: RedisCommand, path: string): void {
  const { type, args } = canonical(command);
  const [family = ''] = type.split(' ');
  if (joinOf(type)) throw notScripted(command, path, 'acts on the whole server');
  if (FAMILIES.has(family) || namesHost(command)) {
    throw notScripted(command, path, 'cannot run in a script');
  }
  if (args.length > WORDS_MAX) throw notScripted(command, path, `has over ${WORDS_MAX} words`);
  if (type.startsWith('bitfield') && args.some((word) => WIDE.test(wordText(word)))) {
    throw notScripted(command, path, 'has fields of over 53 bits');
  }
}

function notScripted({ type }: RedisCommand, path: string, why: string): GatewayError {
  const message = `${type} ${why}, so config.once cannot keep its Idempotency-Key with it: send it without the key`;
  const { code, details } = badRequest(path, `${why}: send it without an Idempotency-Key`, message);
  return new GatewayError(code, message, { details });
}
