/**
 * SCAN over a whole cluster, one master after the other: the cursor that callers see holds the
 * first slot of the master it belongs to. Spec silent.
 */
import type { RedisCommand } from '../../../kinds/redis/command.ts';
import type { ReplyValue } from '../../../kinds/redis/reply-value.ts';
import { SLOTS } from './key-slot.ts';
import type { SlotMap } from './slot-map.ts';

/** One step of a scan: what is sent, and and to which slot's master. */
interface ScanStep {
  readonly command: RedisCommand;
  readonly slot: number;
}

/** Reads a caller's cursor; undefined when the command has none to read, which the server will say. */
export function scanStepOf({ type, args }: RedisCommand): ScanStep | undefined {
  const [cursor, ...rest] = args;
  if (type !== 'scan' || typeof cursor !== 'string' || !/^\d{1,25}$/.test(cursor)) return undefined;
  const whole = BigInt(cursor);
  const own = String(whole / BigInt(SLOTS));
  return { command: { type, args: [own, ...rest] }, slot: Number(whole % BigInt(SLOTS)) };
}

/** The reply with the cursor that the caller goes on with: at this master, else the next. */
export function scanReplyOf(reply: ReplyValue, slot: number, map: SlotMap): ReplyValue {
  if (!Array.isArray(reply)) return reply;
  const [cursor, keys] = reply;
  const text = cursor instanceof Uint8Array ? Buffer.from(cursor).toString() : '';
  if (!/^\d{1,20}$/.test(text)) return reply;
  return [Buffer.from(nextCursor(BigInt(text), slot, map)), keys ?? null];
}

function nextCursor(own: bigint, slot: number, map: SlotMap): string {
  if (own !== 0n) return String(own * BigInt(SLOTS) + BigInt(slot));
  const next = map.masters().find((each) => each.slot > slot);
  return String(next?.slot ?? 0);
}
