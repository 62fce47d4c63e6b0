/** A cluster: each command goes to the node of its keys; moved keys and replaced masters are followed. */

import type { RedisCommand } from '../../../kinds/redis/command.ts';
import type { ReplyValue } from '../../../kinds/redis/reply-value.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Host } from '../driver.ts';
import type { Borrowed } from './borrowed.ts';
import { ClusterLink } from './cluster-link.ts';
import { type ClusterNode, Dispatch, type Reach } from './dispatch.ts';
import { slotOf } from './key-slot.ts';
import type { BorrowedLink, RedisServer, SendBounds } from './link.ts';
import { isUnreached } from './login.ts';
import { Nodes } from './nodes.ts';
import type { Address, Settings } from './settings.ts';
import { addressName, type Redirection, type SlotMap } from './slot-map.ts';
import { Topology } from './topology.ts';

/** Commands without a key go to one and the same master, unless they mean all (`fan-out.ts`). */
export class Cluster implements RedisServer {
  readonly #masters: Nodes;
  /** Connections to replicas, which answer reads only when told so. */
  readonly #replicas: Nodes | undefined;
  readonly #topology: Topology;
  readonly #reach: Reach;

  constructor(settings: Settings, host: Host) {
    this.#masters = new Nodes(host, settings);
    this.#replicas = settings.fromReplicas
      ? new Nodes(host, { ...settings, onReplica: true })
      : undefined;
    this.#topology = new Topology(settings.addresses, this.#masters);
    this.#reach = {
      map: (signal) => this.#topology.map(signal),
      refresh: (signal) => this.#topology.refresh(signal),
      moved: (redirection) => this.#moved(redirection),
      place: (map, slot, sending, attempt) => this.#place(map, slot, sending, attempt),
      at: (address) => placeIn(this.#masters, address),
    };
  }

  send(commands: readonly RedisCommand[], sending: SendBounds): Promise<readonly ReplyValue[]> {
    return new Dispatch(this.#reach, sending).run(commands);
  }

  async borrow(keys: readonly Uint8Array[], signal: AbortSignal): Promise<BorrowedLink> {
    const slots = new Set(keys.map(slotOf));
    if (slots.size > 1) throw crossSlot();
    const [slot] = slots;
    const first = await this.#borrowOf(slot, signal);
    return new ClusterLink(first.link, first.address, {
      moved: (redirection) => this.#moved(redirection),
      borrowAt: (address, limited) => this.#masters.at(address).borrow(limited),
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#masters.close(), this.#replicas?.close()]);
  }

  /** A connection to the master of a slot; where that is gone, the cluster is asked again. */
  async #borrowOf(
    slot: number | undefined,
    signal: AbortSignal,
  ): Promise<{ link: Borrowed; address: Address }> {
    for (let attempt = 1; ; attempt += 1) {
      const map = await this.#topology.map(signal);
      const address = masterOf(map, slot);
      try {
        if (address) return { link: await this.#masters.at(address).borrow(signal), address };
      } catch (error) {
        if (!isUnreached(error) || attempt > 1) throw error;
      }
      if (attempt > 1) throw unserved();
      await this.#topology.refresh(signal);
    }
  }

  #moved({ slot, address }: Redirection): void {
    this.#topology.move(slot, address);
    this.#topology.refreshSoon();
  }

  /** A read's first attempt goes to a replica, where that is asked for. */
  #place(
    map: SlotMap,
    slot: number | undefined,
    { mode }: SendBounds,
    attempt: number,
  ): ClusterNode | undefined {
    const replicas = slot === undefined ? undefined : map.at(slot)?.replicas;
    if (this.#replicas && mode === 'read' && attempt === 0 && replicas?.length) {
      const replica = replicas[Math.floor(Math.random() * replicas.length)];
      if (replica) return placeIn(this.#replicas, replica);
    }
    const master = masterOf(map, slot);
    return master && placeIn(this.#masters, master);
  }
}

/** The master of a slot; of none in particular, always the same one, so that what it remembers is found again. */
function masterOf(map: SlotMap, slot: number | undefined): Address | undefined {
  return slot === undefined ? map.masters()[0]?.master : map.at(slot)?.master;
}

function placeIn(nodes: Nodes, address: Address): ClusterNode {
  return {
    address,
    name: addressName(address),
    send: (commands, sending) => nodes.at(address).send(commands, sending),
  };
}

function crossSlot(): GatewayError {
  const message = 'The keys are not in one slot of the cluster';
  return new GatewayError('BAD_REQUEST', message, {
    details: [{ source: 'redis', code: 'CROSSSLOT', message }],
  });
}

function unserved(): GatewayError {
  return new GatewayError('CONNECTION_FAILED', 'No node of the cluster serves the slot of the key');
}
