/** Where an endpoint's backend keeps keys of writes: decided when a configuration is stored. Spec: transactions.md §7. */
import { type Kind, kindSpec } from '../../kinds/index.ts';
import { oncePlaceOf } from '../../kinds/once.ts';
import { GatewayError } from '../../proto/errors.ts';
import { isJsonObject } from '../../proto/json.ts';
import type { Transports } from '../db/schema.ts';
import type { EndpointConfig } from './config.ts';

/**
 * The place of marks; null where none are kept.
 * @throws GatewayError NOT_SUPPORTED where the backend cannot keep them
 */
export function oncePlaceIn(
  kind: Kind,
  { once }: EndpointConfig,
  transports: Transports | null,
): string | null {
  if (!isJsonObject(once)) return null;
  const { oncePlace } = kindSpec(kind);
  if (oncePlace === undefined) throw keepsNone(kind);
  if (transports === null) return oncePlaceOf(oncePlace, once);
  const message = 'Over HTTP no key of a write can be kept with its effect';
  throw new GatewayError('NOT_SUPPORTED', `${message}: set config.transport to "relay"`, {
    details: [{ path: 'config.once', message: 'needs config.transport "relay"' }],
  });
}

/** Of a kind whose transactions, if it has any, cannot hold a key. */
export function keepsNone(kind: Kind): GatewayError {
  const { label } = kindSpec(kind);
  const message = `${label} cannot keep the key of a write together with its effect`;
  return new GatewayError('NOT_SUPPORTED', message, {
    details: [{ path: 'config.once', message: `is not for ${label}` }],
  });
}
