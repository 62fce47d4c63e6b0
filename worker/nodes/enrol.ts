/** Makes a relay the node that it has a secret of, or tells it which node its key is of. Spec: nodes.md §1. */

import { calculateJwkThumbprint } from 'jose';
import { isKind } from '../../kinds/index.ts';
import { badRequest, GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { NODE_HEADERS } from '../../proto/node-signature.ts';
import { forgetOrganization } from '../access/policy.ts';
import { auditStatementBy } from '../audit/record.ts';
import type { PublicContext } from '../context.ts';
import type { NodeRow } from '../db/nodes.ts';
import { BASE_PATH } from '../public-url.ts';
import { gatewayKeys } from './gateway-keys.ts';
import { nodeObject } from './node-object.ts';
import { newNonce } from './nonce.ts';
import { demandHeld, demandSigned, type Signed, unproven } from './proof.ts';
import type { EnrolBody } from './relay-shapes.ts';
import { secretDigest } from './secret.ts';
import { enrolNode, selectNodeBySecret, selectNodesByKey } from './store.ts';

/** What the request brought besides its body. */
export interface Arrived {
  readonly bytes: Uint8Array | undefined;
  header(name: string): string | undefined;
}

/** @throws GatewayError NODE_SIGNATURE_INVALID; with a secret ENROLMENT_INVALID, NODE_EXISTS; without one NODE_RUNNING */
export async function enrol(ctx: PublicContext, body: EnrolBody, arrived: Arrived): Promise<Json> {
  const { secret } = body;
  const sent = { method: 'POST', path: `${BASE_PATH}/nodes/enrol`, body: arrived.bytes };
  const signed = { ...sent, header: arrived.header };
  const row =
    secret === undefined
      ? await identify(ctx, body, signed)
      : await enrolBy(ctx, body, { secret, signed });
  return {
    uuid: row.uuid,
    name: row.name,
    organization: row.orgUuid,
    transport: row.url === null ? 'tunnel' : 'direct',
    ...(await replyTo(ctx, row)),
  };
}

/** What every signed request is answered. */
export async function replyTo(ctx: PublicContext, { uuid }: Pick<NodeRow, 'uuid'>) {
  return {
    nonce: await newNonce(ctx.settings, uuid, ctx.now()),
    time: ctx.now(),
    gateway_keys: gatewayKeys(ctx.settings),
  };
}

async function enrolBy(
  ctx: PublicContext,
  body: EnrolBody,
  { secret, signed }: { readonly secret: string; readonly signed: Signed },
): Promise<NodeRow> {
  const digest = await secretDigest(secret);
  const [found] = await selectNodeBySecret(ctx.db, digest, ctx.now());
  if (!found) throw invalid();
  if ((body.organization ?? found.orgUuid).toLowerCase() !== found.orgUuid) {
    throw new GatewayError('ENROLMENT_INVALID', 'The enrolment secret is of another organization');
  }
  const { signing_key: signingKey, sealing_key: sealingKey, name = found.name } = body;
  await demandHeld(signingKey, signed);
  const signingKeyId = await calculateJwkThumbprint(signingKey, 'sha256');
  const keys = { name, signingKey, signingKeyId, sealingKey };
  const instance = signed.header(NODE_HEADERS.instance)?.toLowerCase() ?? '';
  // The process that is the node already takes other keys: its tunnels and its calls go on.
  const isSame = await nodeObject(ctx.env, found).isOf(instance);
  const lastSeenAt = isSame ? ctx.now() : null;
  const heard = {
    version: body.version,
    kinds: body.kinds.filter(isKind),
    lastSeenAt,
    unreachableAt: null,
  };
  const actor = { orgUuid: found.orgUuid, username: `node:${found.name}` };
  const enrolled = await ctx.db
    .batch([
      enrolNode(ctx.db, found, digest, { ...keys, ...heard, stopping: false }),
      auditStatementBy(ctx, actor, {
        action: 'node.enrol',
        resource: `node:${found.uuid}`,
        details: { id: name },
      }),
    ])
    .catch((cause: unknown) => {
      throw /UNIQUE constraint/.test(String(cause) + String((cause as Error).cause)) // The library wraps it.
        ? new GatewayError('NODE_EXISTS', `There is a node ${name}, or one with that key`, {
            cause,
          })
        : cause;
    });
  const [row] = enrolled[0];
  if (!row) throw invalid();
  // Processes with the keys of before are no longer the node.
  if (!isSame) await nodeObject(ctx.env, row).forget();
  forgetOrganization(row.orgUuid);
  return row;
}

function invalid(): GatewayError {
  return new GatewayError(
    'ENROLMENT_INVALID',
    'The enrolment secret is unknown, was used, or has expired',
  );
}

const AMBIGUOUS =
  'Several organizations have registered that signing key: the relay has to say which one it serves (RELAY_ORGANIZATION)';

function unknownKey({ organization }: EnrolBody): string {
  return organization === undefined
    ? 'No node has that signing key'
    : `Organization ${organization} has no node with that signing key`;
}

async function identify(ctx: PublicContext, body: EnrolBody, signed: Signed): Promise<NodeRow> {
  const keyId = await calculateJwkThumbprint(body.signing_key, 'sha256');
  const [row, other] = await selectNodesByKey(ctx.db, keyId, body.organization?.toLowerCase());
  if (!row) throw await unproven(ctx, undefined, unknownKey(body));
  // Both were heard, or neither: a person who registered a key must not choose whom its relay serves.
  if (other && (other.lastSeenAt === null) === (row.lastSeenAt === null)) {
    throw await unproven(ctx, undefined, AMBIGUOUS);
  }
  await demandSigned(ctx, { uuid: row.uuid, row }, signed);
  const { x, y } = row.sealingKey ?? {};
  if (x !== body.sealing_key.x || y !== body.sealing_key.y) {
    throw badRequest('sealing_key', 'is not the one that the node was registered with');
  }
  return row;
}
