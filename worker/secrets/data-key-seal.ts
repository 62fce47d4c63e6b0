/** Which of the installation's keys sealed an organization's data key: the beginning of the sealed text says it. */
import { digestOf } from './digest.ts';

const VERSION = 'v2';
/** Of a digest of 256 random bits: they tell nothing about them. */
const DIGITS = 8;
const SEAL = new RegExp(`^${VERSION}\\.[\\da-f]{${DIGITS}}\\.`);

/** How every data key begins that is sealed under this key. */
export async function sealOf(installationKey: string): Promise<string> {
  const key = installationKey.replace(/=$/, '');
  const digest = await digestOf(new TextEncoder().encode(`installation key\0${key}`));
  return `${VERSION}.${digest.slice(0, DIGITS)}.`;
}

/** The sealed data key itself; those of before say nothing about their key. */
export function withoutSeal(sealedDataKey: string): string {
  return sealedDataKey.replace(SEAL, '');
}
