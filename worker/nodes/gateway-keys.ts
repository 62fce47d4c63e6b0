/** What relays need to know calls by: the public halves of the keys that tokens are signed with. */
import type { Settings } from '../settings.ts';

/** Public JWKs, the one in use first; next to it the one before, while both are. */
export function gatewayKeys({
  GATEWAY_KEY,
  GATEWAY_KEY_PREVIOUS,
}: Pick<Settings, 'GATEWAY_KEY' | 'GATEWAY_KEY_PREVIOUS'>): Record<string, string>[] {
  const keys = GATEWAY_KEY_PREVIOUS ? [GATEWAY_KEY, GATEWAY_KEY_PREVIOUS] : [GATEWAY_KEY];
  return keys.map(({ kty, crv = '', x = '' }) => ({ kty: kty ?? '', crv, x }));
}
