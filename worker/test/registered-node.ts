/** Nodes straight in the database. */
import { env } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import { type NodeRow, nodes } from '../db/nodes.ts';
import { NOW, type TestGateway } from './gateway.ts';

/** A node that was heard a moment ago, unless `more` says otherwise; answers its UUID. */
export async function insertNode(
  { organization }: Pick<TestGateway, 'organization'>,
  more: Partial<NodeRow> = {},
): Promise<string> {
  const uuid = crypto.randomUUID();
  const row = {
    orgUuid: organization.uuid,
    uuid,
    name: `node-${uuid.slice(0, 8)}`,
    url: `https://${uuid}.test`,
    sealingKey: JSON.parse(env.RELAY_NODE_PUBLIC_KEY),
    kinds: ['postgres'],
    lastSeenAt: NOW,
    createdAt: NOW,
    createdBy: 'test',
  };
  await drizzle(env.DB)
    .insert(nodes)
    .values({ ...row, ...more });
  return uuid;
}
