/** What may be sent at all, and what with a read-only token. */
import type { RedisConnections, Word } from './connection.ts';
import type { Resp2 } from './resp2.ts';

/** Commands that hold or change a connection, wait, or belong to the server's keeper. */
const UNAVAILABLE = new Set(
  (
    'auth hello reset quit select watch unwatch multi exec discard client monitor subscribe unsubscribe ' +
    'psubscribe punsubscribe ssubscribe sunsubscribe blpop brpop brpoplpush blmove blmpop bzpopmin bzpopmax ' +
    'bzmpop wait waitaof shutdown save bgsave bgrewriteaof config debug module cluster replicaof slaveof ' +
    'psync sync replconf failover migrate swapdb latency slowlog'
  ).split(' '),
);
/** Read commands that the vendor withholds from read-only tokens. */
const POWERFUL = new Set(['scan', 'keys']);
const HARMLESS = new Set(['ping', 'echo', 'time', 'dbsize']);

/** What the server says about its commands. */
export interface Rights {
  /** The vendor's refusal of a command, if it refuses it. */
  refusalOf(words: readonly Word[], readOnly: boolean): string | undefined;
}

/** Asks the server once which commands read. */
export async function rightsOf(connections: RedisConnections): Promise<Rights> {
  const [reply] = await connections.send([['COMMAND']]);
  const reads = new Set(readersIn(reply?.value ?? null));
  return {
    refusalOf(words, readOnly) {
      const name = String(words[0]).toLowerCase();
      if (UNAVAILABLE.has(name) || blocks(name, words)) {
        return `ERR Command is not available: '${String(words[0])}'`;
      }
      const isRead = (reads.has(name) || HARMLESS.has(name)) && !POWERFUL.has(name);
      if (!readOnly || isRead) return undefined;
      return `NOPERM this user has no permissions to run the '${name}' command`;
    },
  };
}

function blocks(name: string, words: readonly Word[]): boolean {
  return name.startsWith('xread') && words.some((word) => String(word).toLowerCase() === 'block');
}

function readersIn(commands: Resp2): string[] {
  if (!Array.isArray(commands)) return [];
  return commands.flatMap((each) => {
    const [name, , flags] = Array.isArray(each) ? each : [];
    const isRead =
      Array.isArray(flags) &&
      flags.some((flag) => 'simple' in Object(flag) && flag.simple === 'readonly');
    return isRead && Buffer.isBuffer(name) ? [name.toString()] : [];
  });
}
