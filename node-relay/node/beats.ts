/** Tells the gateway how the node is, every 10 s, and hears what it must know. Spec: nodes.md §1. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { NodeReply } from './gateway.ts';
import { GatewayRefusal } from './gateway-refusal.ts';
import { aboutProgram, type Membership } from './join.ts';

/** Milliseconds between two beats. Spec: nodes.md §1 */
const BEAT_EVERY_MS = 10_000;
/** After one that was not heard the next comes sooner, in milliseconds. Spec silent. */
const AGAIN_AFTER_MS = 2_000;

/** Milliseconds in which all instances of the gateway read that a node stops. The gateway's `POLICY_TTL_MS`, and some more. */
const LEFT_AFTER_MS = 1_500;

/** What beats need of the relay. */
interface BeatsOptions {
  readonly membership: Membership;
  readonly log: Pick<Log, 'warn' | 'info'>;
  load(): { readonly calls: number; readonly connections: number };
  /** Told of the gateway's clock and keys. */
  heard(told: { readonly clockOffsetMs: number; readonly gatewayKeys: readonly object[] }): void;
  /** The gateway does not take this process for the node: another is, or it was deleted. */
  refused(why: string): void;
}

/** Beats from `start` on. */
export class Beats {
  readonly #options: BeatsOptions;
  #timer: NodeJS.Timeout | undefined;
  #isHeard = true;
  #isStopping = false;

  constructor(options: BeatsOptions) {
    this.#options = options;
  }

  /** The first beat is sent at once. */
  start(): void {
    if (!this.#isStopping) void this.#beat();
  }

  /**
   * Says that the node is about to stop, and is silent then; settles when calls go elsewhere. Never
   * rejects. A call that meets a closed port may have to say that its outcome is unknown.
   */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isStopping = true;
    const isHeard = await this.#send().then(
      () => true,
      () => false,
    );
    if (isHeard) await sleep(LEFT_AFTER_MS);
  }

  async #beat(): Promise<void> {
    const { log, membership, refused } = this.#options;
    try {
      await this.#send();
      if (!this.#isHeard) log.info('the gateway hears the node again');
      this.#isHeard = true;
    } catch (thrown) {
      const isFinal =
        thrown instanceof GatewayRefusal &&
        !membership.gateway.isRenewing &&
        ['NODE_RUNNING', 'NODE_SIGNATURE_INVALID'].includes(thrown.code);
      if (isFinal && !this.#isStopping) return refused(thrown.message);
      const why = thrown instanceof GatewayRefusal ? thrown.message : 'no answer';
      if (this.#isHeard)
        log.warn({ gateway: membership.gateway.url, why }, 'the gateway does not hear the node');
      this.#isHeard = false;
    }
    if (this.#isStopping) return;
    this.#timer = setTimeout(
      () => void this.#beat(),
      this.#isHeard ? BEAT_EVERY_MS : AGAIN_AFTER_MS,
    );
  }

  async #send(): Promise<void> {
    const { membership, load, heard } = this.#options;
    const { gateway, uuid } = membership;
    const told = await gateway.post(
      `/nodes/${uuid}/beat`,
      {
        ...aboutProgram(),
        load: load(),
        clock_offset_ms: gateway.clockOffsetMs,
        stopping: this.#isStopping,
      },
      NodeReply,
    );
    heard({ clockOffsetMs: gateway.clockOffsetMs, gatewayKeys: told.gateway_keys });
  }
}
