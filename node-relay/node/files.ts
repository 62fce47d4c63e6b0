/** Writes what a relay keeps in its data folder, for its own user alone. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { exportJWK, generateKeyPair } from 'jose';
import { invalid, type Kept, type NodeFiles, type NodeKeys } from './settings.ts';

/** Makes two key pairs that never leave the relay. */
export async function newKeys(): Promise<NodeKeys> {
  const signing = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const sealing = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
  return {
    signing: await exportJWK(signing.privateKey),
    sealing: await exportJWK(sealing.privateKey),
  };
}

/** Keeps the keys, instead of those before. @throws GatewayError INVALID_CONFIGURATION */
export async function writeKeys(files: NodeFiles, { signing, sealing }: NodeKeys): Promise<void> {
  await writeWhole(files, files.signing, signing);
  await writeWhole(files, files.sealing, sealing);
}

/** Keeps what the relay was told. @throws GatewayError INVALID_CONFIGURATION */
export async function writeKept(files: NodeFiles, kept: Kept): Promise<void> {
  await writeWhole(files, files.state, kept);
}

/** Whole or not at all: half a key on a full disk would be taken for one. */
async function writeWhole({ folder }: NodeFiles, file: string, value: unknown): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const text = `${JSON.stringify(value)}\n`;
    await writeFile(`${file}.new`, text, { mode: 0o600, flush: true });
    await rename(`${file}.new`, file);
  } catch (cause) {
    throw invalid(`The file ${file} cannot be written: choose another folder with --data`, cause);
  }
}
