/** Words of commands as bytes. */
import type { RedisCommand, Word } from '../../../kinds/redis/command.ts';
import { keysOf as wordsOfKeys } from '../../../kinds/redis/keys.ts';

/** A word as it is sent. */
export function wordBytes(word: Word): Uint8Array {
  return typeof word === 'string' ? Buffer.from(word) : Buffer.from(word.$bytes, 'base64');
}

/** The keys among a command's words. */
export function keyBytes(command: RedisCommand): Uint8Array[] {
  return wordsOfKeys(command).map(wordBytes);
}
