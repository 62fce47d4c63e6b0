/** Names of marks: each lies in the slot of its write's keys. Spec: transactions.md §7, "the mark carries its hash tag". */
import type { RedisCommand, Word } from '../../../kinds/redis/command.ts';
import { badRequest, GatewayError } from '../../../proto/errors.ts';
import type { OnceMark } from '../../../proto/once.ts';
import { slotOf } from './key-slot.ts';
import { keyBytes } from './words.ts';

/** Longest hash tag that a mark repeats, in bytes; of longer keys a short one of the same slot stands for it. */
const TAG_MAX = 256;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** Keys that one write has in its backend. */
export interface MarkNames {
  /** The mark itself, next to the effect. */
  readonly mark: Word;
  /** Where another body is found out, wherever its own keys lie. */
  readonly body: Word;
}

/** @throws GatewayError BAD_REQUEST where the keys lie in several slots */
export function markNames(commands: readonly RedisCommand[], { place, key }: OnceMark): MarkNames {
  const [first, ...others] = commands.flatMap(keyBytes);
  const tag = first === undefined ? Buffer.from(key) : tagOf(first);
  const slot = first && slotOf(first);
  if (others.some((each) => slotOf(each) !== slot)) throw manySlots();
  const name = Buffer.concat([Buffer.from(`${place}:{`), tag, Buffer.from(`}:${key}`)]);
  return { mark: { $bytes: name.toString('base64') }, body: bodyName({ place, key }) };
}

/** The same, whatever a write's own keys are. */
export function bodyName({ place, key }: Pick<OnceMark, 'place' | 'key'>): string {
  return `${place}:${key}`;
}

/** What stands for a body: of a mark that is settled, with where it is. */
export function claimOf(names: MarkNames, { body, settled }: OnceMark): string {
  const { mark } = names;
  return settled === true && typeof mark === 'object' ? `${body} ${mark.$bytes}` : body;
}

/** What a claim says. */
export function readClaim(claim: string): { readonly body: string; readonly mark?: Word } {
  const [body = '', name] = claim.split(' ');
  return name === undefined ? { body } : { body, mark: { $bytes: name } };
}

/** What puts another key into the slot of this one. */
function tagOf(key: Uint8Array): Uint8Array {
  const opening = key.indexOf(OPENING);
  const closing = opening < 0 ? -1 : key.indexOf(CLOSING, opening + 1);
  const tag = closing > opening + 1 ? key.subarray(opening + 1, closing) : key;
  const isTaken = tag.length > 0 && tag.length <= TAG_MAX && !tag.includes(CLOSING);
  return isTaken ? tag : numberOf(slotOf(key));
}

/** By slot, the smallest number whose digits lie in it; as far as has been looked. */
const numbers = new Map<number, Buffer>();
let looked = 0;

/** The smallest number whose digits lie in the slot. Each number is looked at once in a process. */
function numberOf(slot: number): Uint8Array {
  for (;;) {
    const known = numbers.get(slot);
    if (known) return known;
    const digits = Buffer.from(String(looked));
    looked += 1;
    const own = slotOf(digits);
    if (!numbers.has(own)) numbers.set(own, digits);
  }
}

function manySlots(): GatewayError {
  const problem = 'has keys in several hash slots';
  const message =
    'config.once keeps an Idempotency-Key next to the keys of its write, so all of them must lie in one hash slot: give them the same {tag}, or send the write without the key';
  const { code, details } = badRequest('keys', problem, message);
  return new GatewayError(code, message, { details });
}
