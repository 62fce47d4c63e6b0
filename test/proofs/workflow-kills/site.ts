/** A gateway whose parts are killed with -9 and started again, and a Redis whose lists show what happened. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../../proto/json.ts';
import { freePort } from '../../../server/ports.ts';
import { dataFolder, type OwnGateway, startGateway } from '../../gateway.ts';
import { newOrganization, type Organization } from '../../organization.ts';
import { childrenOf, killRelay, processes, stillRunning } from '../../processes.ts';
import { backend } from '../../servers/backends.ts';
import { onRedis } from '../../servers/redis-server.ts';

/** What is killed: everything, the edge's runtime, or the relay with its parts. */
export const PARTS = ['gateway', 'runtime', 'relay'] as const;
export type Part = (typeof PARTS)[number];

/** Longest that a part may need to answer again. */
const BACK_MAX_MS = 120_000;

/** An attempt as a record shows it. */
interface Attempt {
  readonly started: string;
  readonly ended?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

/** An action as a record shows it. */
export interface ActionRecord {
  readonly id: string;
  readonly path: string;
  readonly type: string;
  readonly status: string;
  readonly error?: Attempt['error'];
  readonly attempts: readonly Attempt[];
  readonly input?: { readonly element?: readonly string[] };
  /** Of a subworkflow that is not waited for, where its run is. */
  readonly output?: { readonly run_id?: string } | null;
  readonly started: string;
  readonly ended?: string;
  readonly compensates?: string;
}

/** A run as its record shows it. */
export interface RunRecord {
  readonly run_id: string;
  readonly status: string;
  readonly ended?: string;
  readonly compensation?: string;
  readonly actions: readonly ActionRecord[];
}

/** A running site. */
export class Site {
  readonly organization: Organization;
  readonly #redis: string;
  readonly #start: () => Promise<OwnGateway>;
  readonly #data: string;
  #gateway: OwnGateway;

  private constructor(
    gateway: OwnGateway,
    organization: Organization,
    rest: { redis: string; data: string; start: () => Promise<OwnGateway> },
  ) {
    this.#gateway = gateway;
    this.organization = organization;
    this.#redis = rest.redis;
    this.#data = rest.data;
    this.#start = rest.start;
  }

  /** Starts one with an endpoint `list` and a template `echo`. */
  static async open(): Promise<Site> {
    const data = await dataFolder();
    const [port, relayPort] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
    const args = ['--port', String(port), '--relay-port', String(relayPort)];
    const start = () => startGateway({ data, args });
    const gateway = await start();
    const organization = await newOrganization(gateway);
    const { url: redis } = await backend('redis');
    const site = new Site(gateway, organization, { redis, data, start });
    await site.must('POST', '/endpoints', {
      ...{ endpoint: 'list', kind: 'redis', config: { write_conn: { url: redis } } },
    });
    const rules = [{ target: 'of', source: 'n' }];
    await site.must('POST', '/templates', { id: 'echo', name: 'Echo', transformationRules: rules });
    return site;
  }

  async close(): Promise<void> {
    await this.#gateway.stop('SIGKILL');
    await rm(this.#data, { recursive: true, force: true });
  }

  /** @throws Error with the reply, when it is no success */
  async must(method: string, path: string, body?: Json): Promise<Json> {
    const reply = await this.organization.call(method, path, body);
    if (reply.status < 300) return reply.body as Json;
    throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`);
  }

  /** Starts a run; answers where its record is, and the name of its list. */
  async begin(workflow: string): Promise<{ path: string; list: string }> {
    const list = `kills:${randomUUID()}`;
    // What counts there fails: it is no number.
    const never = `${list}:never`;
    await onRedis(this.#redis, ['SET', never, 'none']);
    const reply = (await this.must('POST', `/workflows/${workflow}`, { list, never })) as {
      run_id: string;
    };
    return { path: `/workflows/${workflow}/executions/${reply.run_id}`, list };
  }

  /** What steps have added to a list, in the order of their effects. */
  async words(list: string): Promise<string[]> {
    const [words] = await onRedis(this.#redis, ['LRANGE', list, '0', '-1']);
    return words as string[]; // What LRANGE answers.
  }

  /** How many words each list has. */
  async counts(lists: readonly string[]): Promise<number[]> {
    const counts = await onRedis(this.#redis, ...lists.map((list) => ['LLEN', list]));
    return counts as number[]; // What LLEN answers.
  }

  /** The record of a run; undefined where nothing answers. */
  async record(path: string): Promise<RunRecord | undefined> {
    const reply = await this.organization.call('GET', path).catch(() => undefined);
    return reply?.status === 200 ? (reply.body as RunRecord) : undefined;
  }

  /** The runtimes of the edge. */
  runtimes(): number[] {
    const runtimes = childrenOf(this.#gateway.pid).filter(({ command }) =>
      /workerd serve/.test(command),
    );
    return runtimes.map(({ pid }) => pid);
  }

  /** Kills a part with -9, and waits until everything answers again; answers when that was. @param dead called in between */
  async kill(part: Part, dead: () => Promise<void>): Promise<number> {
    if (part === 'gateway') {
      const family = [this.#gateway.pid, ...childrenOf(this.#gateway.pid).map(({ pid }) => pid)];
      const rows = processes().filter(({ pid }) => family.includes(pid));
      for (const pid of family) killOne(pid);
      while (stillRunning(rows).length > 0) await sleep(20);
      await dead();
      this.#gateway = await this.#start();
      return Date.now();
    }
    if (part === 'relay') await killRelay(this.#gateway.pid);
    else {
      const runtimes = this.runtimes();
      if (runtimes.length === 0) throw new Error('The gateway has no runtime');
      for (const pid of runtimes) killOne(pid);
    }
    await dead();
    await this.#answers();
    return Date.now();
  }

  async #answers(): Promise<void> {
    const until = Date.now() + BACK_MAX_MS;
    const body = { type: 'EXISTS', key: ['none'] };
    for (;;) {
      const reply = await this.organization
        .call('POST', '/endpoints/list/read', body)
        .catch(() => undefined);
      if (reply?.status === 200) return;
      if (Date.now() > until) throw new Error(`Nothing answers again: ${JSON.stringify(reply)}`);
      await sleep(50);
    }
  }
}

/** A process that has just ended by itself is fine, too. */
function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
  }
}
