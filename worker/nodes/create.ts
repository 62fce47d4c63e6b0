/** Registers a relay as a node of the organization. Spec: nodes.md §1. */
import { calculateJwkThumbprint } from 'jose';
import { GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { withoutAtEnd } from '../../proto/text-ends.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import { demandStorage } from '../limits/quotas/demand.ts';
import { isoTime } from '../shapes/iso-time.ts';
import { demandNodeUrl } from './address.ts';
import { newSecret } from './secret.ts';
import type { NewNode } from './shapes.ts';
import { countNodes, insertNode } from './store.ts';

/** Nodes of an organization: each may hold tunnels open, in memory that all share. Spec silent. */
const NODES_MAX = 100;

/**
 * Stores the node with the keys that are given, or with the digest of a secret that is answered once.
 * @throws GatewayError INVALID_CONFIGURATION, ADDRESS_REFUSED, NODE_EXISTS, QUOTA_EXCEEDED
 */
export async function createNode(ctx: Context, body: NewNode): Promise<Json> {
  const { caller, db } = ctx;
  const { name, url, signing_key: signingKey, sealing_key: sealingKey } = body;
  if (url !== undefined) await demandNodeUrl(ctx, url);
  await demandStorage(ctx, 0);
  const [present] = await countNodes(db, caller.orgUuid);
  if (present && present.nodes >= NODES_MAX) {
    throw new GatewayError('QUOTA_EXCEEDED', `The organization has ${NODES_MAX} nodes: delete one`);
  }
  const uuid = crypto.randomUUID();
  const { secret, stored } = await newSecret(ctx.now());
  const keys = signingKey && {
    signingKey,
    signingKeyId: await calculateJwkThumbprint(signingKey, 'sha256'),
    sealingKey: sealingKey ?? null,
  };
  const row = {
    ...NEVER_HEARD,
    ...(keys ?? stored),
    uuid,
    name,
    url: url === undefined ? null : withoutAtEnd(url, '/'),
  };
  const made = { createdAt: ctx.now(), createdBy: caller.userId };
  const [inserted] = await db.batch([
    insertNode(db, caller.orgUuid, { ...row, ...made }),
    auditStatement(ctx, { action: 'node.create', resource: `node:${uuid}`, details: { id: name } }),
  ]);
  if (inserted.length === 0) {
    throw new GatewayError('NODE_EXISTS', `There is a node ${name}, or one with that key`);
  }
  if (keys) return { uuid, name };
  return { uuid, name, enrolment_secret: secret, expires: isoTime(stored.enrolmentExpiresAt) };
}

const NEVER_HEARD = {
  enrolmentDigest: null,
  enrolmentExpiresAt: null,
  signingKey: null,
  signingKeyId: null,
  sealingKey: null,
  version: null,
  kinds: null,
  calls: 0,
  connections: 0,
  clockOffsetMs: null,
  lastSeenAt: null,
  draining: false,
  stopping: false,
  unreachableAt: null,
} as const;
