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
 * Admits a request of a node's own process; answers the node, and which process. To who asks without the key, a node that there
 * is not is one whose key they lack.
 * @param uuid of the node that is named @param row of it, where there is one
 * @throws GatewayError NODE_SIGNATURE_INVALID with a nonce to sign with, NODE_RUNNING, RATE_LIMITED
 */
export async function demandSigned(
  ctx: PublicContext,
  { uuid, row }: { readonly uuid: string; readonly row: NodeRow | undefined },
  { method, path, body = new Uint8Array(), header }: Signed,
): Promise<{ readonly row: NodeRow; readonly instance: string }> {
  const nonce = header(NODE_HEADERS.nonce) ?? '';
  const instance = header(NODE_HEADERS.instance)?.toLowerCase() ?? '';
  const signature = header(NODE_HEADERS.signature) ?? '';
  const expiresAt = await expiryOf(ctx.settings, uuid, nonce, ctx.now());
  if (expiresAt === undefined) throw await unproven(ctx, uuid, 'The nonce is none, or too old');
  const request = { method, path, instance, body, nonce };
  const key = isUuid(instance) ? (row?.signingKey ?? undefined) : undefined;
  const isProven = key !== undefined && (await isSigned(key, request, signature));
  if (row === undefined || !isProven) throw await unproven(ctx, uuid, UNSIGNED);
  await demandProcess(ctx, row, { nonce, expiresAt, instance });
  return { row, instance };
}

const UNSIGNED = 'The request is not signed with the key of the node, or there is no such node';

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
  if (admitted.state === 'used') throw await unproven(ctx, row.uuid, 'The nonce was used before');
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

/** @param uuid of the node to sign for, by the nonce that goes along; undefined where none is named */
export async function unproven(
  ctx: PublicContext,
  uuid: string | undefined,
  message: string,
): Promise<GatewayError> {
  const headers = uuid !== undefined && {
    [NODE_HEADERS.nonce]: await newNonce(ctx.settings, uuid, ctx.now()),
  };
  return new GatewayError('NODE_SIGNATURE_INVALID', message, headers ? { headers } : {});
}
