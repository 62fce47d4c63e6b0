/** Whether a request comes from a node: by its signature, a nonce that serves once, and the one process that is the node. Spec: nodes.md §1. */
import type { JWK } from 'jose';
import { GatewayError } from '../../proto/errors.ts';
import { isSigned, NODE_HEADERS } from '../../proto/node-signature.ts';
import type { PublicContext } from '../context.ts';
import type { NodeRow } from '../db/nodes.ts';
import { isUuid } from '../shapes/ids.ts';
import { answersAs } from './health.ts';
import { nodeObject } from './node-object.ts';
import { expiryOf, newNonce } from './nonce.ts';

/** Seconds until some nonces of a node that used too many have expired. Spec silent. */
const RETRY_AFTER_S = 60;

/** A request as its signature is over it. */
export interface Signed {
  readonly method: string;
  readonly path: string;
  readonly body: Uint8Array | undefined;
  header(name: string): string | undefined;
}

/**
 * Admits a request of a node's own process; answers which one.
 * @throws GatewayError NODE_SIGNATURE_INVALID with a nonce to sign with, NODE_RUNNING, RATE_LIMITED
 */
export async function demandSigned(
  ctx: PublicContext,
  row: NodeRow,
  { method, path, body = new Uint8Array(), header }: Signed,
): Promise<string> {
  const nonce = header(NODE_HEADERS.nonce) ?? '';
  const instance = header(NODE_HEADERS.instance)?.toLowerCase() ?? '';
  const signature = header(NODE_HEADERS.signature) ?? '';
  const expiresAt = await expiryOf(ctx.settings, row.uuid, nonce, ctx.now());
  if (expiresAt === undefined) throw await unproven(ctx, row, 'The nonce is none, or too old');
  const request = { method, path, instance, body, nonce };
  if (!isUuid(instance) || row.signingKey === null) throw await unproven(ctx, row, UNSIGNED);
  if (!(await isSigned(row.signingKey, request, signature)))
    throw await unproven(ctx, row, UNSIGNED);
  await demandProcess(ctx, row, { nonce, expiresAt, instance });
  return instance;
}

const UNSIGNED = 'The request is not signed with the key of the node';

/**
 * Demands that who enrols has the private half of the key that they name: a public key is no secret.
 * The body with its secret is signed, which serves once: so it needs no nonce.
 * @throws GatewayError NODE_SIGNATURE_INVALID
 */
export async function demandHeld(
  key: JWK,
  { method, path, body = new Uint8Array(), header }: Signed,
): Promise<void> {
  const nonce = header(NODE_HEADERS.nonce) ?? '';
  const instance = header(NODE_HEADERS.instance) ?? '';
  const signature = header(NODE_HEADERS.signature) ?? '';
  if (await isSigned(key, { method, path, instance, body, nonce }, signature)) return;
  throw new GatewayError(
    'NODE_SIGNATURE_INVALID',
    'The enrolment is not signed with the private half of its signing_key',
  );
}

async function demandProcess(
  ctx: PublicContext,
  row: NodeRow,
  { nonce, expiresAt, instance }: { nonce: string; expiresAt: number; instance: string },
): Promise<void> {
  const object = nodeObject(ctx.env, row);
  const admitted = await object.admit(nonce, expiresAt, ctx.now(), instance);
  if (admitted.state === 'admitted') return;
  if (admitted.state === 'used') throw await unproven(ctx, row, 'The nonce was used before');
  if (admitted.state === 'full') throw tooMany();
  if (admitted.state === 'other') {
    const isAlive = await answersAs(ctx, row, admitted.instance);
    if (!isAlive && (await object.takeOver(instance, admitted.instance))) return;
    throw running('Another process with the key of this node is running, and answers');
  }
  throw running('Another process with the key of this node has taken its place');
}

function tooMany(): GatewayError {
  const message = 'The node has signed too many requests in five minutes: try again later';
  return new GatewayError('RATE_LIMITED', message, { retryAfter: RETRY_AFTER_S });
}

function running(message: string): GatewayError {
  return new GatewayError('NODE_RUNNING', message);
}

/** The same for a node that there is not, except for the nonce. */
export async function unproven(
  ctx: PublicContext,
  row: NodeRow | undefined,
  message: string,
): Promise<GatewayError> {
  const headers = row && {
    [NODE_HEADERS.nonce]: await newNonce(ctx.settings, row.uuid, ctx.now()),
  };
  return new GatewayError('NODE_SIGNATURE_INVALID', message, headers ? { headers } : {});
}
