/** Which node of a cluster serves which slots, as a node reports it. Source: redis.io/docs/latest/commands/cluster-slots. */
import { utf8Of } from '../../../kinds/redis/replies/natural.ts';
import { ReplyError, type ReplyValue } from '../../../kinds/redis/reply-value.ts';
import { SLOTS } from './key-slot.ts';
import type { Address } from './settings.ts';

/** The servers of a range of slots. */
interface Shard {
  readonly master: Address;
  readonly replicas: readonly Address[];
}

/** Nodes of a cluster. Source: the cluster specification recommends a thousand at most. */
const NODES_MAX = 2_000;

/** All slots' servers, as far as they are known. */
export class SlotMap {
  readonly #shards: (Shard | undefined)[];

  constructor(shards: readonly (Shard | undefined)[] = []) {
    this.#shards = [...shards];
  }

  /**
   * Reads what `CLUSTER SLOTS` answered.
   * @param asked whose answer it is; a node that does not know its own name is there
   * @returns undefined when it is no such answer
   */
  static read(reply: ReplyValue | undefined, asked: Address): SlotMap | undefined {
    if (!Array.isArray(reply) || reply.length > SLOTS) return undefined;
    const shards: (Shard | undefined)[] = Array(SLOTS).fill(undefined);
    let covered = 0;
    for (const range of reply) {
      if (!Array.isArray(range) || range.length > NODES_MAX) return undefined;
      const [first, last, master, ...replicas] = range;
      const address = addressOf(master, asked);
      if (!isSlot(first) || !isSlot(last) || !address) return undefined;
      // A slot has one master: ranges together are no longer than all slots.
      covered += last - first + 1;
      if (last < first || covered > SLOTS) return undefined;
      const others = replicas.map((each) => addressOf(each, asked));
      const shard = { master: address, replicas: others.filter((each) => each !== undefined) };
      shards.fill(shard, first, last + 1);
    }
    const map = new SlotMap(shards);
    return map.names().size > NODES_MAX ? undefined : map;
  }

  /** The servers of a slot; undefined while no server has it. */
  at(slot: number): Shard | undefined {
    return this.#shards[slot];
  }

  /** Believes what a node said of one slot. */
  move(slot: number, master: Address): void {
    if (slot >= 0 && slot < SLOTS) this.#shards[slot] = { master, replicas: [] };
  }

  /** The masters in the order of their first slots, each with that slot. */
  masters(): { readonly master: Address; readonly slot: number }[] {
    const found = new Map<string, { master: Address; slot: number }>();
    let before: Shard | undefined;
    for (const [slot, shard] of this.#shards.entries()) {
      if (!shard || shard === before) continue;
      before = shard;
      const name = addressName(shard.master);
      if (!found.has(name)) found.set(name, { master: shard.master, slot });
    }
    return [...found.values()];
  }

  /** Names of all its servers. */
  names(): Set<string> {
    const shards = new Set(this.#shards);
    return new Set(
      [...shards].flatMap((shard) =>
        shard ? [shard.master, ...shard.replicas].map(addressName) : [],
      ),
    );
  }
}

/** An address as the name of what is kept for it. */
export function addressName({ host, port }: Address): string {
  return `${host}:${port}`;
}

/** Where a key is now, in a node's own words. */
export interface Redirection {
  /** `ask`: for this command alone, while the slot is on its way. */
  readonly kind: 'moved' | 'ask';
  readonly slot: number;
  readonly address: Address;
}

/** Reads `MOVED 3999 127.0.0.1:6381`; undefined for any other reply. */
export function redirectionOf(
  reply: ReplyValue | undefined,
  asked: Address,
): Redirection | undefined {
  if (!(reply instanceof ReplyError) || (reply.code !== 'MOVED' && reply.code !== 'ASK')) {
    return undefined;
  }
  const found = /^\w+ (\d{1,5}) (.*):(\d{1,5})$/.exec(reply.message);
  if (!found) return undefined;
  const [, slot, host = '', port] = found;
  const address = { host: knownHost(host, asked), port: Number(port) };
  return { kind: reply.code === 'MOVED' ? 'moved' : 'ask', slot: Number(slot), address };
}

function isSlot(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < SLOTS;
}

function addressOf(node: ReplyValue | undefined, asked: Address): Address | undefined {
  if (!Array.isArray(node)) return undefined;
  const [host, port] = node;
  if (typeof port !== 'number') return undefined;
  return { host: knownHost(utf8Of(host ?? null) ?? '', asked), port };
}

/** `?` and nothing stand for the host that was asked. */
function knownHost(host: string, asked: Address): string {
  return host === '' || host === '?' ? asked.host : host.replace(/^\[(.*)\]$/, '$1');
}
