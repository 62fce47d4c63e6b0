/** An endpoint on two nodes of its organization's own, and what may happen to a node. */
import pg from 'pg';
import type { Gateway } from '../../gateway.ts';
import { type RelayNode, startNode, untilReady } from '../../nodes/node-process.ts';
import { newOrganization, type Organization } from '../../organization.ts';
import { untilStatus } from '../../relay-node.ts';
import { backend, freshDatabase } from '../../servers/backends.ts';
import { type DropProxy, startDropProxy } from './drop-proxy.ts';

/** A node behind lines that can be cut. */
interface CutNode {
  readonly node: RelayNode;
  readonly lines: readonly DropProxy[];
}

/** What is done to a node, and how that ends. */
export interface Fault {
  readonly name: string;
  /** Whether the node says what comes, so that no call is lost. */
  readonly gentle: boolean;
  /** What the list of nodes shows meanwhile. */
  readonly shows: 'unavailable' | 'draining';
  begin(site: Site, node: CutNode): Promise<void>;
  end(site: Site, node: CutNode): Promise<void>;
}

/** All faults, in the order in which they are tried. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'kill -9',
    gentle: false,
    shows: 'unavailable',
    async begin(_site, { node }) {
      node.run.signal('SIGKILL');
      await node.run.ended;
    },
    end: (_site, { node }) => node.restart(),
  },
  {
    name: 'SIGSTOP',
    gentle: false,
    shows: 'unavailable',
    begin: async (_site, { node }) => node.run.signal('SIGSTOP'),
    end: async (_site, { node }) => node.run.signal('SIGCONT'),
  },
  {
    name: 'dropped network',
    gentle: false,
    shows: 'unavailable',
    async begin(_site, { lines }) {
      for (const line of lines) line.drop();
    },
    async end(_site, { lines }) {
      for (const line of lines) line.restore();
    },
  },
  {
    name: 'restart',
    gentle: true,
    shows: 'draining',
    async begin(_site, { node }) {
      node.run.signal('SIGTERM');
      await node.run.ended;
    },
    end: (_site, { node }) => node.restart(),
  },
  {
    name: 'drain',
    gentle: true,
    shows: 'draining',
    async begin(site, { node }) {
      await site.organization.call('POST', `/nodes/${node.uuid}/drain`);
    },
    async end(site, { node }) {
      await site.organization.call('POST', `/nodes/${node.uuid}/resume`);
    },
  },
];

/** Two nodes, one endpoint. */
export class Site {
  readonly organization: Organization;
  readonly endpoint: string;
  /** An endpoint on the same database by the default node, which nothing happens to. */
  readonly control: string;
  readonly nodes: readonly CutNode[];
  readonly #database: string;

  private constructor(
    organization: Organization,
    [endpoint, control]: readonly [string, string],
    nodes: readonly CutNode[],
    database: string,
  ) {
    this.organization = organization;
    this.endpoint = endpoint;
    this.control = control;
    this.nodes = nodes;
    this.#database = database;
  }

  static async start(gateway: Gateway): Promise<Site> {
    const organization = await newOrganization(gateway);
    const database = (await freshDatabase(await backend('postgres'))).url;
    const endpoint = await organization.addPostgres(database);
    const control = await organization.addPostgres(database);
    const nodes = [await cutNode(organization, 'first'), await cutNode(organization, 'second')];
    const create = { query: 'create table done (id text)' };
    await organization.call('POST', `/endpoints/${endpoint}/write`, create);
    for (const { node } of nodes) {
      await organization.call('PUT', `/endpoints/${endpoint}/nodes/${node.uuid}`, {});
    }
    return new Site(organization, [endpoint, control], nodes, database);
  }

  /** How often each id was written. */
  async stored(): Promise<Map<string, number>> {
    const client = new pg.Client({ connectionString: this.#database });
    await client.connect();
    try {
      const { rows } = await client.query<{ id: string; count: string }>(
        'select id, count(*) from done group by id',
      );
      return new Map(rows.map(({ id, count }) => [id, Number(count)]));
    } finally {
      await client.end();
    }
  }

  /** Milliseconds until the list shows a node so. */
  shows({ node }: CutNode, status: string, maxMs: number): Promise<number> {
    return untilStatus(this.organization.call, node.uuid, status, { maxMs });
  }

  async stop(): Promise<void> {
    for (const { node, lines } of this.nodes) {
      for (const line of lines) line.close();
      await node.stop();
    }
  }
}

/** Both the gateway's line to the node and the node's to the gateway can be cut. */
async function cutNode(organization: Organization, name: string): Promise<CutNode> {
  let own = 0;
  const toNode = await startDropProxy(() => own);
  const toGateway = await startDropProxy(() => Number(new URL(organization.gateway.url).port));
  const node = await startNode(organization, name, {
    url(port) {
      own = port;
      return `http://127.0.0.1:${toNode.port}`;
    },
    gateway: `http://127.0.0.1:${toGateway.port}`,
  });
  await untilReady(node.run);
  return { node, lines: [toNode, toGateway] };
}
