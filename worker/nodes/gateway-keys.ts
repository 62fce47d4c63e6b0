/** What relays need to know calls by: the public halves of the keys that tokens are signed with. */
import type { Settings } from '../settings.ts';

/** Public JWKs, the one in use first. */
export function gatewayKeys({
  GATEWAY_KEY,
}: Pick<Settings, 'GATEWAY_KEY'>): Record<string, string>[] {
  return [GATEWAY_KEY].map(({ kty, crv = '', x = '' }) => ({ kty: kty ?? '', crv, x }));
}
