/**
 * The one owner of a node's nonces, of the question which process is the node, and of its tunnels:
 * two processes with one key, or one request sent twice, meet here. Spec: nodes.md §1.
 */
import { DurableObject } from 'cloudflare:workers';
import { NODE_HEADERS } from '../../proto/node-signature.ts';
import { type Bindings, databaseOf } from '../context.ts';
import { nodeNamed } from './node-object.ts';
import type { Admitted, RelayNodeObject } from './object.ts';
import { markUnreachable, updateNode } from './store.ts';
import { NodeTunnels } from './tunnel/tunnels.ts';
import { UsedNonces } from './used-nonces.ts';

/** Instances remembered whose place was taken. A process makes a new id at each start. */
const ENDED_MAX = 100;

/** The process that is the node. */
const INSTANCE = 'instance';
/** Those that were, the last one at the end. */
const ENDED = 'ended';

/** Names of the objects in this isolate that have tunnels. */
const withTunnels = new Set<string>();

/** A self-hosted gateway stops: its tunnels end as soon as they have no calls. */
export async function stopTunnels({ RELAY_NODES }: Bindings): Promise<void> {
  await Promise.all([...withTunnels].map((name) => RELAY_NODES.getByName(name).stop()));
}

/** One per node, by the organization and the node. */
export class RelayNode extends DurableObject<Bindings> implements RelayNodeObject {
  readonly #tunnels = new NodeTunnels({
    state: this.ctx,
    organization: nodeNamed(this.ctx.id.name ?? '').orgUuid,
    changed: (isOpen) => this.ctx.waitUntil(this.#note(isOpen)),
  });
  readonly #nonces = new UsedNonces(this.ctx.storage.sql);
  /** What is written of the node, one after another. */
  #noted = Promise.resolve();

  /** Passes a request on to the relay, or opens a tunnel to it. */
  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get('Upgrade') === null) return this.#tunnels.fetch(request);
    const instance = request.headers.get(NODE_HEADERS.instance) ?? '';
    const isCurrent = (await this.ctx.storage.get<string>(INSTANCE)) === instance;
    return isCurrent ? this.#tunnels.accept(instance) : new Response(null, { status: 409 });
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    if (this.#tunnels.received(socket, message)) {
      this.ctx.abort('A relay goes on sending in a tunnel that is closed');
    }
  }

  override webSocketClose(socket: WebSocket): void {
    this.#tunnels.closed(socket);
    // Unanswered, the connection stays half open until the object is evicted, and a stop waits for it.
    socket.close();
    if (this.#tunnels.isStopped) this.#end();
  }

  override webSocketError(socket: WebSocket): void {
    this.#tunnels.closed(socket);
  }

  async admit(nonce: string, expiresAt: number, now: number, instance: string): Promise<Admitted> {
    const { storage } = this.ctx;
    const use = this.#nonces.use(nonce, expiresAt, now);
    if (use !== 'taken') return { state: use };
    if ((await this.#ended()).includes(instance)) return { state: 'ended' };
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
    this.#tunnels.endBut(instance);
    return true;
  }

  async isOf(instance: string): Promise<boolean> {
    return (await this.ctx.storage.get<string>(INSTANCE)) === instance;
  }

  async forget(): Promise<void> {
    this.#tunnels.endBut();
    this.#nonces.forget();
    await this.ctx.storage.deleteAll();
  }

  async stop(): Promise<void> {
    this.#tunnels.stop();
  }

  /** A self-hosted gateway stops: its runtime waits for an object that had sockets until it is evicted. */
  #end(): void {
    this.ctx.waitUntil(this.#noted.finally(() => this.ctx.abort('The gateway stops')));
  }

  /** Every isolate reads there how the node is. */
  #note(isOpen: boolean): Promise<void> {
    const { name = '' } = this.ctx.id;
    if (isOpen) withTunnels.add(name);
    else withTunnels.delete(name);
    const { orgUuid, uuid } = nodeNamed(name);
    const db = databaseOf(this.env);
    const now = Date.now();
    const open = { lastSeenAt: now, unreachableAt: null, stopping: false };
    const write = async (): Promise<void> => {
      if (isOpen) await updateNode(db, orgUuid, uuid, open);
      else await markUnreachable(db, { orgUuid, uuid }, now);
    };
    this.#noted = this.#noted.then(write, write);
    return this.#noted;
  }

  async #ended(): Promise<readonly string[]> {
    return (await this.ctx.storage.get<string[]>(ENDED)) ?? [];
  }
}
