/** What does not go in a JSON body: commands with bytes that are no text, which the body of a command in the path can hold. */

import type { RedisCommand, Word } from '../../../../kinds/redis/command.ts';
import { commandNamed } from '../../../../kinds/redis/table.ts';
import { GatewayError } from '../../../../proto/errors.ts';

/** A command as a path with the binary word as its body, and what follows that as a query. */
export interface PathCommand {
  /** Escaped, from its first slash on. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
  readonly body: Uint8Array;
}

/** The words as a JSON array can hold them; `undefined` where one is no text. */
export function textsOf(words: readonly Word[]): readonly string[] | undefined {
  const texts = words.filter((word) => typeof word === 'string');
  return texts.length === words.length ? texts : undefined;
}

/** A name in the query that the protocol takes for a credential. */
const TOKEN = '_token';

/**
 * The command in the path. The protocol has room for one binary word: words after it come in
 * pairs, as `EX` and `100`, and none before it is empty. In a path, `multi-exec` is no command but
 * would run what its body says: only what is known to be a command is there.
 * @param name of the command, and its subcommand
 * @throws GatewayError NOT_SUPPORTED
 */
export function inPath(name: readonly string[], { type, args }: RedisCommand): PathCommand {
  if (!commandNamed(type)) throw notBinary();
  const at = args.findIndex((word) => typeof word !== 'string');
  const binary = args[at];
  const [before, after] = [textsOf(args.slice(0, at)), textsOf(args.slice(at + 1))];
  if (typeof binary !== 'object' || !before || !after) throw notBinary();
  if (before.includes('') || after.includes('') || after.length % 2 === 1) throw notBinary();
  if (after.includes(TOKEN)) throw notBinary();
  if (!after.every((word) => word.isWellFormed())) throw notInPath();
  const pairs = Array.from({ length: after.length / 2 }, (_, nth) =>
    after
      .slice(2 * nth, 2 * nth + 2)
      .map(encodeURIComponent)
      .join('='),
  );
  return {
    path: pathOf([...name, ...before]),
    query: pairs.length === 0 ? '' : `?${pairs.join('&')}`,
    body: Uint8Array.from(atob(binary.$bytes), (each) => each.charCodeAt(0)),
  };
}

/**
 * Words as a path. A URL takes `.` and `..` for steps, however they are escaped, and what follows
 * them for another path: `SUBSCRIBE .. set victim` would be sent as SET.
 * @throws GatewayError NOT_SUPPORTED
 */
export function pathOf(words: readonly string[]): string {
  const isStep = (word: string) => word === '' || word === '.' || word === '..';
  if (words.some((word) => isStep(word) || !word.isWellFormed())) throw notInPath();
  return `/${words.map(encodeURIComponent).join('/')}`;
}

function notInPath(): GatewayError {
  return new GatewayError(
    'NOT_SUPPORTED',
    'Upstash takes no word here that is empty, . or .., nor half of a surrogate pair: config.transport: "relay" takes any bytes',
  );
}

/** What the vendor's protocol has no place for. */
export function notBinary(): GatewayError {
  return new GatewayError(
    'NOT_SUPPORTED',
    'Upstash takes bytes that are no text as one value of a single command, with nothing after it but options with values: config.transport: "relay" takes them anywhere',
  );
}
