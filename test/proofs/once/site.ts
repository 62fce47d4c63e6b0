/** A gateway over the databases that keep writes once, and a client that repeats what it has no reply to. */
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { dataFolder, type OwnGateway, startGateway } from '../../gateway.ts';
import { newOrganization, type Organization } from '../../organization.ts';
import { childrenOf } from '../../processes.ts';
import { openStores, type Store } from './stores.ts';

/** Longest that a write is repeated. */
const REPEATED_MAX_MS = 120_000;
/** Milliseconds between two repeats. */
const PAUSE_MS = 50;

export class Site {
  readonly stores: readonly Store[];
  readonly #organization: Organization;
  readonly #gateway: OwnGateway;
  readonly #data: string;
  #relay = 0;

  private constructor(
    stores: readonly Store[],
    organization: Organization,
    rest: { gateway: OwnGateway; data: string },
  ) {
    this.stores = stores;
    this.#organization = organization;
    this.#gateway = rest.gateway;
    this.#data = rest.data;
  }

  /** @param kind of one database alone */
  static async open(kind: string | undefined): Promise<Site> {
    const data = await dataFolder();
    const [stores, gateway] = await Promise.all([openStores(kind), startGateway({ data })]);
    const organization = await newOrganization(gateway);
    const site = new Site(stores, organization, { gateway, data });
    for (const store of stores) {
      const config = { write_conn: { url: store.line.url }, once: {} };
      const body = { endpoint: store.kind, kind: store.kind, config };
      const reply = await organization.call('POST', '/endpoints', body);
      if (reply.status !== 200) throw new Error(JSON.stringify(reply));
      const first = await site.write(store, 'first');
      if (first !== undefined) throw new Error(first);
    }
    return site;
  }

  async close(): Promise<void> {
    await this.#gateway.stop('SIGKILL');
    await Promise.all(this.stores.map((store) => store.close()));
    await rm(this.#data, { recursive: true, force: true });
  }

  /** Sends a write until there is a reply, and then once more; answers what breaks the promise. */
  async write(store: Store, name: string): Promise<string | undefined> {
    const [path, body] = [`/endpoints/${store.kind}/write`, store.write(name)];
    const send = async () => {
      const key = { 'Idempotency-Key': name };
      return this.#organization.call('POST', path, body, key).catch(() => undefined);
    };
    for (const until = Date.now() + REPEATED_MAX_MS; ; ) {
      const reply = await send();
      if (reply?.status === 200) {
        const again = await send();
        if (again === undefined || again.status >= 503) continue;
        return isDeepStrictEqual(again, reply)
          ? undefined
          : `${store.kind} ${name}: ${JSON.stringify(reply)}, then ${JSON.stringify(again)}`;
      }
      const isLost = reply === undefined || reply.status === 503 || reply.status === 504;
      if (!isLost || Date.now() > until) return `${store.kind} ${name}: ${JSON.stringify(reply)}`;
      await sleep(PAUSE_MS);
    }
  }

  /** Looks for the relay, so that it can be killed at once. */
  async findRelay(): Promise<void> {
    for (;;) {
      const relay = childrenOf(this.#gateway.pid).find(({ command }) =>
        command.includes('node-relay/main.ts'),
      );
      if (relay && relay.pid !== this.#relay) {
        this.#relay = relay.pid;
        return;
      }
      await sleep(PAUSE_MS);
    }
  }

  /** Kills the relay with -9; the gateway starts another. */
  killRelay(): void {
    process.kill(this.#relay, 'SIGKILL');
  }
}
