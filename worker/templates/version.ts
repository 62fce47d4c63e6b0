/** Names of versions that nobody chose. Contract §8: "a PATCH without `version` raises the minor number". */
import { GatewayError } from '../../proto/errors.ts';

const NUMBERED = /^(\d{1,9})\.(\d{1,9})(\.\d{1,9})?$/;

/**
 * The next minor version that is not taken: `1.0.0` is followed by `1.1.0`, `2.3` by `2.4`.
 * @throws GatewayError BAD_REQUEST when the version in force has no such numbers
 */
export function nextVersion(inForce: string, taken: readonly string[]): string {
  const [, major, minor, patch] = NUMBERED.exec(inForce) ?? [];
  if (major === undefined || minor === undefined) {
    const message = `is required: no version follows ${inForce} by itself`;
    throw new GatewayError('BAD_REQUEST', `version: ${message}`, {
      details: [{ path: 'version', message }],
    });
  }
  for (let next = Number(minor) + 1; ; next += 1) {
    const version = `${major}.${next}${patch === undefined ? '' : '.0'}`;
    if (!taken.includes(version)) return version;
  }
}
