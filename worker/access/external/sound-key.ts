/** Which published keys are fit to verify with: a weak one would let others sign. */
import { base64url, type JWK } from 'jose';

/** RFC 7518 §3.3. */
const RSA_MIN_BITS = 2048;
/** Primes of at most 167 that tell a modulus of CVE-2017-15361 ("ROCA") from others. */
const ROCA_PRIMES = [
  ...[11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157],
] as const;

/** Whether a member of a key set may verify signatures: asymmetric and strong enough. */
export function isSoundKey(key: unknown): key is JWK {
  if (typeof key !== 'object' || key === null || !('kty' in key)) return false;
  if (key.kty !== 'RSA') return key.kty === 'EC' || key.kty === 'OKP';
  const [modulus, exponent] = [integerOf(key, 'n'), integerOf(key, 'e')];
  if (modulus === undefined || exponent === undefined) return false;
  const isOddAboveOne = exponent > 1n && exponent % 2n === 1n;
  return isOddAboveOne && modulus >> BigInt(RSA_MIN_BITS - 1) > 0n && !isRoca(modulus);
}

/** Every such modulus is a power of 65537 modulo each of these primes; another is by chance of 2^-27. */
function isRoca(modulus: bigint): boolean {
  return ROCA_PRIMES.every((prime) => {
    const rest = Number(modulus % BigInt(prime));
    const step = 65_537 % prime;
    for (let power = 1, at = 0; at < prime; at += 1, power = (power * step) % prime) {
      if (power === rest) return true;
    }
    return false;
  });
}

function integerOf(key: object, member: 'n' | 'e'): bigint | undefined {
  const text: unknown = new Map(Object.entries(key)).get(member);
  if (typeof text !== 'string') return undefined;
  try {
    const bytes = base64url.decode(text);
    return BigInt(`0x0${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`);
  } catch {
    return undefined;
  }
}
