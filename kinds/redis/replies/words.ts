/** Words of a command, as far as they say what its reply is made of. */
import { type RedisCommand, type Word, wordText } from '../command.ts';

/** A word in upper case, as option names are compared; empty for bytes that are no text. */
export function optionName(word: Word | undefined): string {
  if (word === undefined) return '';
  return wordText(word).toUpperCase();
}

/** Whether an option is among the words from `start` on; the word after one of `taking` is a value, and no option. */
export function hasOption(
  { args }: RedisCommand,
  name: string,
  start: number,
  taking: readonly string[] = [],
): boolean {
  for (let at = start; at < args.length; at += 1) {
    const word = optionName(args[at]);
    if (word === name) return true;
    if (taking.includes(word)) at += 1;
  }
  return false;
}

/** Where the words after a number of keys begin; `at` is the place of that number. */
export function afterKeys({ args }: RedisCommand, at: number): number {
  const count = Number(optionName(args[at]));
  return at + 1 + (Number.isInteger(count) ? count : 0);
}
