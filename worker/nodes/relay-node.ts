/**
 * The one owner of a node's nonces and of the question which process is the node: two processes
 * with one key, or one request sent twice, meet here. Spec: nodes.md §1.
 */
import { DurableObject } from 'cloudflare:workers';
import type { Bindings } from '../context.ts';
import type { Admitted, RelayNodeObject } from './object.ts';

/** Instances remembered whose place was taken. A process makes a new id at each start. */
const ENDED_MAX = 100;

/** Nonces that were used, with the time at which each expires. */
const NONCES = 'nonces';
/** The process that is the node. */
const INSTANCE = 'instance';
/** Those that were, the last one at the end. */
const ENDED = 'ended';

/** One per node, by the organization and the node. */
export class RelayNode extends DurableObject<Bindings> implements RelayNodeObject {
  async admit(nonce: string, expiresAt: number, instance: string): Promise<Admitted> {
    if (!(await this.#use(nonce, expiresAt))) return { state: 'used' };
    if ((await this.#ended()).includes(instance)) return { state: 'ended' };
    const { storage } = this.ctx;
    const current = await storage.get<string>(INSTANCE);
    if (current === undefined) await storage.put(INSTANCE, instance);
    if (current === undefined || current === instance) return { state: 'admitted' };
    return { state: 'other', instance: current };
  }

  async takeOver(instance: string, from: string): Promise<boolean> {
    const { storage } = this.ctx;
    if ((await storage.get<string>(INSTANCE)) !== from) return false;
    const ended = [...(await this.#ended()), from].slice(-ENDED_MAX);
    await storage.put({ [INSTANCE]: instance, [ENDED]: ended });
    return true;
  }

  async forget(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }

  async #ended(): Promise<readonly string[]> {
    return (await this.ctx.storage.get<string[]>(ENDED)) ?? [];
  }

  async #use(nonce: string, expiresAt: number): Promise<boolean> {
    const now = Date.now();
    const used = (await this.ctx.storage.get<Record<string, number>>(NONCES)) ?? {};
    if (Object.hasOwn(used, nonce)) return false;
    // An expired one is refused before it comes here.
    const kept = Object.entries(used).filter(([, until]) => until > now);
    await this.ctx.storage.put(NONCES, { ...Object.fromEntries(kept), [nonce]: expiresAt });
    return true;
  }
}
