/** What a cluster looks like: asked of its nodes when it is first needed, and again when one of them says otherwise. */

import { ReplyError } from '../../../kinds/redis/reply-value.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { orAbort } from '../deadline.ts';
import { TlsUnanswered } from '../tls-socket.ts';
import { isUnreached, LoginRefused } from './login.ts';
import type { Nodes } from './nodes.ts';
import type { Address } from './settings.ts';
import { addressName, SlotMap } from './slot-map.ts';

/** Milliseconds that one node may take to say what the cluster looks like. Spec silent. */
const ASK_MS = 2_000;
/** Bytes of its answer. */
const ANSWER_MAX = 16_777_216;
/** Masters that are asked, besides the servers of the configuration. Spec silent. */
const ASKED_MAX = 10;
/** Milliseconds between two askings. Spec silent. */
const ASK_EVERY_MS = 100;

/** Keeps the map of a cluster's slots. */
export class Topology {
  readonly #seeds: readonly Address[];
  readonly #nodes: Nodes;
  #map: SlotMap | undefined;
  #asking: Promise<SlotMap> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(seeds: readonly Address[], nodes: Nodes) {
    this.#seeds = seeds;
    this.#nodes = nodes;
  }

  /** @throws GatewayError CONNECTION_FAILED, ADDRESS_REFUSED, POOL_EXHAUSTED, the signal's reason */
  async map(signal: AbortSignal): Promise<SlotMap> {
    return this.#map ?? orAbort(this.#ask(), signal);
  }

  /** Believes what a node said of one slot. */
  move(slot: number, master: Address): void {
    this.#map?.move(slot, master);
  }

  /** Asks again, unless that has just been done; the map is as before when no server answers. */
  async refresh(signal: AbortSignal): Promise<void> {
    if (performance.now() - this.#askedAt < ASK_EVERY_MS) return;
    await orAbort(
      this.#ask().catch(() => undefined),
      signal,
    );
  }

  /** Asks in the background. */
  refreshSoon(): void {
    void this.refresh(AbortSignal.timeout(ASK_MS * 2)).catch(() => undefined);
  }

  #ask(): Promise<SlotMap> {
    this.#asking ??= this.#askInTurn().finally(() => {
      this.#askedAt = performance.now();
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #askInTurn(): Promise<SlotMap> {
    let failure: unknown;
    for (const address of this.#known()) {
      try {
        const map = await this.#askOf(address);
        this.#map = map;
        this.#nodes.keep(map.names());
        return map;
      } catch (error) {
        // One that answers says more than one that cannot be reached.
        if (failure === undefined || isUnreached(failure)) failure = error;
      }
    }
    throw failure;
  }

  /** Servers to ask: those in the map, in another order each time, then those of the configuration. */
  #known(): Address[] {
    const masters = this.#map?.masters().map(({ master }) => master) ?? [];
    const start = Math.floor(Math.random() * masters.length);
    const others = [...masters.slice(start), ...masters.slice(0, start)].slice(0, ASKED_MAX);
    const all = [...others, ...this.#seeds];
    return [...new Map(all.map((address) => [addressName(address), address])).values()];
  }

  async #askOf(address: Address): Promise<SlotMap> {
    const signal = AbortSignal.timeout(ASK_MS);
    const node = this.#nodes.at(address);
    const late = () =>
      this.#nodes.secure && !node.reached
        ? new TlsUnanswered()
        : new GatewayError('CONNECTION_FAILED', 'The server did not answer in time');
    const [reply] = await node
      .send([{ type: 'cluster slots', args: [] }], {
        mode: 'read',
        signal,
        replyMaxBytes: ANSWER_MAX,
      })
      .catch((error: unknown) => {
        throw signal.aborted ? late() : error;
      });
    const map = SlotMap.read(reply, address);
    if (map) return map;
    const isSingle = reply instanceof ReplyError && /cluster support disabled/i.test(reply.message);
    throw new LoginRefused(
      'CONNECTION_FAILED',
      isSingle
        ? 'The server is not a node of a cluster'
        : 'The server does not say what its cluster looks like',
    );
  }
}
